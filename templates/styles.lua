-- styles.lua: from the classes of a finished document (turn, prompt, sources-list, citation, the alerts of gfm, and
-- the parts of an answer) to what each output format has for them. It runs after cite-filter. The typst output needs report.typ, which
-- defines the functions called here. Documents are untrusted: nothing of theirs is ever put into a raw block.

local typst = FORMAT == "typst"
local word  = FORMAT == "docx" or FORMAT == "odt"
local html  = FORMAT:match("^html") or FORMAT:match("^epub")
local mirror = word or FORMAT:match("^epub")
local text  = FORMAT:match("^gfm") or FORMAT:match("^commonmark") or FORMAT:match("^markdown") or FORMAT == "plain"

local alerts = pandoc.List { "note", "tip", "important", "warning", "caution" }
local right_to_left = pandoc.List { "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ps", "sd", "ug", "ur", "yi" }

-- Attributes -------------------------------------------------------------------------------------------------------
-- Only these survive. Of the rest some do harm: onclick, style, and typst:…, whose value Pandoc writes out as code.

local harmless = pandoc.List { "lang", "dir", "title", "role", "width", "height", "startFrom" }

local function direction(lang, dir)
  local script = lang:match("^%a+%-(%a%a%a%a)$") or lang:match("^%a+%-(%a%a%a%a)%-")
  if dir or (script and script:lower() == "latn") then return dir end
  return right_to_left:includes(lang:lower():match("^%a+")) and "rtl" or nil
end

-- The typst writer puts the first class of a code block into code as it is.
local function plain_class(name) return name:match("^[%w][%w+.#_-]*$") ~= nil end

local function clean(el)
  local attr = el.attr
  if #attr.classes == 0 and #attr.attributes == 0 then return nil end
  el.classes = el.classes:filter(plain_class)
  for name in pairs(el.attributes) do
    if not (harmless:includes(name) or name:match("^data%-[%w-]+$") or name:match("^aria%-%l+$")) then
      el.attributes[name] = nil
    end
  end
  local lang, dir = el.attributes.lang, el.attributes.dir
  if lang and not lang:match("^%a%a%a?[%w-]*$") then lang, el.attributes.lang = nil, nil end
  if dir and dir ~= "ltr" and dir ~= "rtl" and dir ~= "auto" then dir, el.attributes.dir = nil, nil end
  if lang then el.attributes.dir = direction(lang, dir) end
  return el
end

local function clean_table(tbl)
  local parts = pandoc.List { tbl.head, tbl.foot }
  for _, body in ipairs(tbl.bodies) do
    clean(body)
    for _, rows in ipairs { body.head, body.body } do
      for _, row in ipairs(rows) do
        clean(row)
        for _, cell in ipairs(row.cells) do clean(cell) end
      end
    end
  end
  for _, part in ipairs(parts) do
    clean(part)
    for _, row in ipairs(part.rows) do
      clean(row)
      for _, cell in ipairs(row.cells) do clean(cell) end
    end
  end
  clean(tbl)
  return tbl
end

-- Helpers ----------------------------------------------------------------------------------------------------------

local function raw(code) return pandoc.RawBlock("typst", code) end
local function raw_inline(code) return pandoc.RawInline("typst", code) end

local function around(before, blocks, after, id)
  local out = pandoc.Blocks { raw(before) }
  if id and id ~= "" then out:insert(pandoc.Div({}, { id = id })) end -- a link to a lost label would end the run of typst
  out:extend(blocks)
  out:insert(raw(after))
  return out
end

local function styled(name, blocks) return pandoc.Div(blocks, { ["custom-style"] = name }) end

-- The paragraphs of a div get a style; code, tables and (without a style for them) lists keep their own.
local function style_paragraphs(name, blocks, list_name)
  return pandoc.Blocks(blocks):map(function(block)
    if block.t == "Para" or block.t == "Plain" then return styled(name, { block }) end
    if list_name and (block.t == "BulletList" or block.t == "OrderedList") then
      for i, item in ipairs(block.content) do block.content[i] = style_paragraphs(list_name, item, list_name) end
    end
    return block
  end)
end

-- Arguments for the functions of report.typ, made of two plain codes or not at all.
local function language(div)
  local code, rest = (div.attributes.lang or ""):match("^(%a%a%a?)(.*)$")
  if not code then return "" end
  local region = rest:match("^%-(%a%a)$") or rest:match("^%-%a%a%a%a%-(%a%a)$")
  local args = ('(lang: "%s"'):format(code:lower())
  if region then args = args .. (', region: "%s"'):format(region:upper()) end
  return args .. ")"
end

-- The list of sources ----------------------------------------------------------------------------------------------

-- Parts an entry: its number (a link "[1]", such a link in a span, or bare text), what follows, and its web address.
local function parts(inlines)
  local number = inlines[1]
  if not number or not pandoc.utils.stringify(number):match("^%[%d+%]$") then return nil end
  local rest, url = pandoc.Inlines {}, nil
  for i = 2, #inlines do
    if not (i == 2 and inlines[i].t == "Space") then rest:insert(inlines[i]) end
  end
  pandoc.Inlines { number }:walk {
    Link = function(link) if link.target:match("^%a+://") then url = link.target end end
  }
  return number, rest, url
end

local function has_rtl_letters(inlines)
  for _, c in utf8.codes(pandoc.utils.stringify(inlines)) do
    if (c >= 0x590 and c <= 0x8FF) or (c >= 0xFB1D and c <= 0xFDFF) or (c >= 0xFE70 and c <= 0xFEFC) then return true end
  end
  return false
end

-- In a list, for the keys of a Lua table come in any order, and the same text must give the same file.
local function shown_as(url)
  local attributes = { { "dir", "auto" } }
  if url then table.insert(attributes, { "data-url", url }) end
  return attributes
end

-- An id must be kept as a span: the typst and docx writers drop that of a link.
local function entry(inlines)
  local number, rest, url = parts(inlines)
  if not number then return inlines end
  local out = pandoc.Inlines {}
  if typst then
    out:extend { raw_inline("#source-number["), number, raw_inline("]#source-title[#none;") }
    out:extend(rest)
    out:insert(raw_inline("]"))
    if url then out:extend { raw_inline("#source-url["), pandoc.Link(url, url), raw_inline("]") } end
  elseif FORMAT == "docx" then
    number = pandoc.Inlines { number }:walk { Link = function(link)
      link.content = { pandoc.Span(link.content, { ["custom-style"] = "Source Number" }) }
      return link
    end }
    out:extend(number)
    out:insert(pandoc.RawInline("openxml", "<w:r><w:tab/></w:r>"))
    out:insert(has_rtl_letters(rest) and pandoc.Span(rest) or pandoc.Span(rest, { dir = "ltr" }))
    if url then
      local shown = pandoc.Span(url, { ["custom-style"] = "Source URL", dir = "ltr" })
      out:extend { pandoc.LineBreak(), pandoc.Link({ shown }, url) }
    end
  elseif html then
    if number.t == "Str" then number = pandoc.Span({ number }, { class = "number" }) end
    out:extend { number, pandoc.Space(), pandoc.Span(rest, pandoc.Attr("", {}, shown_as(url))) }
  elseif FORMAT == "plain" then
    out:extend { number, pandoc.Space() }
    out:extend(rest)
    if url then out:extend { pandoc.LineBreak(), pandoc.Str(url) } end
  else
    return inlines
  end
  return out
end

local function first_of(item)
  local block = item[1]
  return block and (block.t == "Plain" or block.t == "Para") and block or nil
end

local function upright(block)
  return block:walk { Emph = function(emph) return emph.content end }
end

local function sources(div)
  local heading, out = nil, pandoc.Blocks {}
  for _, block in ipairs(div.content) do
    if block.t == "BulletList" then
      for _, item in ipairs(block.content) do
        local first = first_of(item)
        if first then first.content = entry(first.content) end
        if word then
          if first then item[1] = pandoc.Para(first.content) end
          out:extend(style_paragraphs("Sources", item))
        end
      end
      if not word then out:insert(block) end
    elseif not heading and (block.t == "Para" or block.t == "Plain") then
      heading = block
      if word then block = styled("Sources Heading", { upright(block) }) end
      out:extend(typst and around("#sources-heading[", { block }, "]") or { block })
    else
      out:insert(block)
    end
  end
  if typst then
    local unruled = div.classes:includes("retrieved") and "(ruled: false)" or ""
    return around("#sources" .. unruled .. "[", out, "]", div.identifier)
  end
  if text then return out end
  if html then
    div.attributes.role = "doc-bibliography"
    if heading then div.attributes["aria-label"] = pandoc.utils.stringify(heading) end
  end
  div.content = out
  return div
end

-- Turns, questions, alerts -----------------------------------------------------------------------------------------

local function prompt(div)
  if typst then return around("#prompt" .. language(div) .. "[", div.content, "]", div.identifier) end
  if text then return pandoc.BlockQuote(div.content) end
  if word then
    local blocks = style_paragraphs("Prompt", div.content, "Prompt List")
    local first = blocks[1]
    if first and first.t == "Div" then first.attributes["custom-style"] = "Prompt First" end
    div.content = blocks
  end
  return div
end

-- In Word a border does not change sides with the direction of the text. Code runs from the left in every language;
-- HTML has that from its style sheet, where EPUB may not.
local function mirrored(blocks)
  return blocks:walk {
    traverse = "topdown",
    CodeBlock = function(block) return pandoc.Div({ block }, { dir = "ltr" }), false end,
    Code = function(code) code.attributes.dir = "ltr"; return code end,
    BlockQuote = function(quote)
      if word then return pandoc.Div(style_paragraphs("Block Text RTL", quote.content)) end
    end,
    Div = function(inner)
      local style = inner.attributes["custom-style"] or ""
      if (style:match("^Prompt") or style:match("^Alert")) and not style:match("RTL$") then inner.attributes["custom-style"] = style .. " RTL" end
      return inner
    end,
  }
end

local function turn(div)
  if typst then return around("#turn" .. language(div) .. "[", div.content, "]", div.identifier) end
  if text then return div.content end
  if mirror and div.attributes.dir == "rtl" then div.content = mirrored(div.content) end
  if html then div.attributes.role = div.attributes.role or "article" end
  return div
end

local function alert(div, kind)
  local title = div.content[1]
  if not (title and title.t == "Div" and title.classes:includes("title")) then return nil end
  local body = pandoc.Blocks { table.unpack(div.content, 2) }
  if typst then
    local out = around('#alert("' .. kind .. '")[', title.content, "][")
    out:extend(around("", body, "]", div.identifier))
    return out
  elseif word then
    local out = pandoc.Blocks { styled("Alert Title", title.content) }
    out:extend(style_paragraphs("Alert", body))
    return out
  elseif html then
    div.attributes.role = "note"
    return div
  end
end

-- Answers ----------------------------------------------------------------------------------------------------------

local kinds = pandoc.List { "ok", "minor", "major", "unsupported" }
local certainties = pandoc.List { "stated", "implied", "inferred" }
local parts_of_answers = {
  ["summary"] = "Summary", ["tally"] = "Tally", ["claim-label"] = "Claim Label", ["claim"] = false,
  ["quotation"] = "Quotation", ["finding"] = "Finding", ["remark"] = "Remark", ["hashes"] = "Hashes",
}
local has_answer = false
local document_direction = "ltr"
local word_findings = { minor = "Finding Minor", major = "Finding", unsupported = "Finding Unsupported" }

local word_badges = { stated = "Badge", implied = "Badge Implied", inferred = "Badge Inferred" }

local function one_of(list, classes)
  return list:find_if(function(name) return classes:includes(name) end)
end

-- A part of an answer, by its first class; nil for a div that is none.
local function part_of_answer(div)
  local name = div.classes[1]
  local style = parts_of_answers[name]
  if style == nil then return nil end
  has_answer = true
  local kind = one_of(kinds, div.classes)
  if typst then
    return around("#" .. name .. (kind and '("' .. kind .. '")' or "") .. "[", div.content, "]", div.identifier)
  elseif word then
    if name == "finding" and kind then style = word_findings[kind] or style end
    if style then div.content = style_paragraphs(style, div.content) end
    local first = name == "summary" and div.content[1]
    if first and first.t == "Div" then first.attributes["custom-style"] = "Summary Label" end
    return div
  elseif text then
    if name == "quotation" then return pandoc.BlockQuote(div.content) end
    local first = div.content[1]
    if FORMAT == "plain" and name == "finding" and kind ~= "minor" and first and first.t == "Para" then
      first.content:insert(1, pandoc.Space()) -- plain text has no weight
      first.content:insert(1, pandoc.Str("[!]"))
    end
    return div.content
  end
end

-- The direction of a character that has one.
local function direction_of(c)
  if (c >= 0x590 and c <= 0x8FF) or (c >= 0xFB1D and c <= 0xFDFF) or (c >= 0xFE70 and c <= 0xFEFC) then return "rtl" end
  if (c >= 0x41 and c <= 0x5A) or (c >= 0x61 and c <= 0x7A) or (c >= 0xC0 and c < 0x2000) or c > 0x2E80 then return "ltr" end
end

-- The direction of the first letter, as browsers find it for dir=auto, and whether there are letters of another than
-- `around`.
local function directions(inlines, around)
  local first, mixed
  for _, c in utf8.codes(pandoc.utils.stringify(inlines)) do
    local dir = direction_of(c)
    first = first or dir
    mixed = mixed or (dir and dir ~= around)
  end
  return first, mixed
end

-- What typst's typography, or what Pandoc's writer does for it, would make another character of: `...`, `-5`, `’`. In an
-- answer every quotation is to come out as it is.
local typographic = { ["-"] = "\\u{2d}", ["."] = "\\u{2e}", ["'"] = "\\u{27}", ["\u{2018}"] = "\\u{2018}", ["\u{2019}"] = "\\u{2019}" }

local function exact(str)
  if not (str.text:find("[-']") or str.text:find("..", 1, true) or str.text:find("\u{2018}", 1, true) or str.text:find("\u{2019}", 1, true)) then
    return nil
  end
  local out, plain = pandoc.Inlines {}, ""
  for _, c in utf8.codes(str.text) do
    local code = typographic[utf8.char(c)]
    if code then
      if plain ~= "" then out:insert(pandoc.Str(plain)) end
      out:insert(raw_inline(code))
      plain = ""
    else
      plain = plain .. utf8.char(c)
    end
  end
  if plain ~= "" then out:insert(pandoc.Str(plain)) end
  return out
end

local function in_typst(before, inlines, after)
  local out = pandoc.Inlines { raw_inline(before .. "[#none;") }
  out:extend(inlines)
  out:insert(raw_inline("]" .. after))
  return out
end

-- Word knows the direction of a run, but not of the signs at its ends, and isolates nothing. Marks tell: around text of
-- one direction; as an embedding around text of both; and behind a longer text, of the document's direction, to part it
-- from what comes.
local marks = { ltr = "\u{200E}", rtl = "\u{200F}" }
local embeddings = { ltr = "\u{202A}", rtl = "\u{202B}" }

local function in_word(span, dir, mixed)
  if mixed and dir then
    local _, both = directions(span.content, dir)
    span.content:insert(1, pandoc.Str(both and embeddings[dir] or marks[dir]))
    local after = span.attributes.dir == "auto" and marks[document_direction] or ""
    span.content:insert(pandoc.Str((both and "\u{202C}" or marks[dir]) .. after))
  end
  span.attributes.dir = dir
  return span
end

-- Text that may run in another direction than what is around it, a quotation, a badge.
local function format_span(span)
  local dir = span.attributes.dir
  local certainty = span.classes:includes("badge") and one_of(certainties, span.classes)
  if certainty then
    if typst then return in_typst('#badge("' .. certainty .. '")', span.content, "") end
    if word then return pandoc.Span(span.content, { ["custom-style"] = word_badges[certainty] }) end
    if FORMAT:match("^gfm") then return pandoc.Emph(span.content) end
  end
  if (typst or word) and (dir == "auto" or dir == "ltr") then
    local first, mixed = directions(span.content, document_direction)
    mixed = mixed or (dir == "ltr" and document_direction == "rtl")
    if dir == "auto" then dir = first end
    if word then return in_word(span, dir, mixed) end
    local call = span.classes:includes("quoted") and "#quoted" or "#isolated"
    if not mixed then return in_typst(call, span.content, "") end
    return in_typst((dir == "rtl" and "\\u{2067}" or "\\u{2066}") .. call, span.content, "\\u{2069}")
  elseif html and span.classes:includes("quoted") then
    local out = pandoc.Inlines { pandoc.RawInline("html", '<q dir="auto">') }
    out:extend(span.content)
    out:insert(pandoc.RawInline("html", "</q>"))
    return out
  elseif FORMAT:match("^gfm") then
    return span.content
  elseif FORMAT == "latex" and document_direction == "ltr" then
    span.attributes.dir = nil -- its template knows no directions then
    return span
  end
end

-- Markdown has no divs and spans of its own: they would come out as HTML.
local function unwrap(el) return el.content end

local function format_div(div)
  local classes = div.classes
  if classes:includes("sources-list") then return sources(div) end
  if classes:includes("prompt") then return prompt(div) end
  if classes:includes("turn") then return turn(div) end
  local part = part_of_answer(div)
  if part then return part end
  local kind = alerts:find_if(function(name) return classes:includes(name) end)
  if FORMAT:match("^gfm") and not kind then return unwrap(div) end
  return kind and alert(div, kind)
end

-- Smaller things ---------------------------------------------------------------------------------------------------

local function format_link(link)
  if not link.classes:includes("citation") then return nil end
  link.content = { pandoc.Span(link.content, { ["custom-style"] = "Citation" }) }
  return link
end

-- Typst would set a bullet before each box of a task list.
local function format_list(list)
  local first = list.content[1] and first_of(list.content[1])
  local mark = first and first.content[1]
  if mark and (mark.text == "☐" or mark.text == "☒") then return around("#tasks[", { list }, "]") end
end

-- A short run of markers stays on one line (in HTML the style sheet sees to it).
local function format_superscript(super)
  local links = 0
  super:walk { Link = function() links = links + 1 end }
  if links > 1 and links < 5 then
    super.content = super.content:map(function(inline)
      return (inline.t == "Space" or inline.t == "SoftBreak") and pandoc.Str("\u{a0}") or inline
    end)
    return super
  end
end

-- Word: columns as wide as what stands in them (without widths, they are all made equal).
local function cells_of(tbl)
  local rows = pandoc.List {}
  rows:extend(tbl.head.rows)
  for _, body in ipairs(tbl.bodies) do rows:extend(body.head); rows:extend(body.body) end
  rows:extend(tbl.foot.rows)
  return rows
end

local function word_table(tbl)
  local natural, narrow = {}, {}
  for _, row in ipairs(cells_of(tbl)) do
    for i, cell in ipairs(row.cells) do
      if cell.col_span ~= 1 or cell.row_span ~= 1 then return tbl end
      local shown = pandoc.utils.stringify(cell.contents)
      local length, word = utf8.len(shown) or #shown, 0
      for w in shown:gmatch("%S+") do word = math.max(word, math.min(utf8.len(w) or #w, 20)) end
      natural[i] = math.max(natural[i] or 4, length + 4)
      narrow[i] = math.max(narrow[i] or 4, math.min(length, 30) + 4, word + 5)
    end
  end
  local function sum(widths)
    local total = 0
    for _, width in ipairs(widths) do total = total + width end
    return total
  end
  local line = 74 -- characters
  local widths = sum(natural) <= line and natural or narrow
  for i, spec in ipairs(tbl.colspecs) do
    if spec[2] then return tbl end
    tbl.colspecs[i] = { spec[1], (widths[i] or 4) / math.max(sum(widths), line) }
  end
  return tbl
end

-- Typst: a raised number has no height of its own, so a cell that holds nothing else gets a line's.
local function typst_table(tbl)
  for _, row in ipairs(cells_of(tbl)) do
    for _, cell in ipairs(row.cells) do
      local first = cell.contents[1]
      if first and first.content and first.content[1] and first.content[1].t == "Superscript" then
        first.content:insert(1, raw_inline("#box(height: 0.66em)"))
      end
    end
  end
  return tbl
end

-- HTML: a wide table scrolls in its own box; the page does not.
local function format_table(tbl)
  if html then return pandoc.Div({ tbl }, pandoc.Attr("", { "table" }, { { "role", "group" }, { "tabindex", "0" } })) end
  if FORMAT == "docx" then return word_table(tbl) end
  if typst then return typst_table(tbl) end
end

local function format_rule()
  return styled("Rule", { pandoc.Para { pandoc.Str("\u{a0}") } })
end

local function format_document(doc)
  if typst and has_answer then return doc:walk { Str = exact } end
  if mirror and doc.meta.dir and pandoc.utils.stringify(doc.meta.dir) == "rtl" then
    doc.blocks = mirrored(doc.blocks)
    return doc
  end
end

local function format_meta(meta)
  local lang = meta.lang and pandoc.utils.stringify(meta.lang)
  if lang and not lang:match("^%a%a%a?[%w-]*$") then lang, meta.lang = nil, nil end
  local dir = meta.dir and pandoc.utils.stringify(meta.dir)
  if dir ~= "ltr" and dir ~= "rtl" then dir = nil end
  meta.dir = direction(lang or "en", dir)
  document_direction = meta.dir or "ltr"
  return meta
end

return {
  {
    Div = clean, Span = clean, Header = clean, CodeBlock = clean, Code = clean, Link = clean, Image = clean,
    Figure = clean, Table = clean_table, Meta = format_meta,
  },
  {
    -- A format has only the functions that do something for it: each element handed to Lua costs time.
    Div = format_div,
    Span = FORMAT ~= "plain" and format_span or nil,
    Link = FORMAT == "docx" and format_link or nil,
    Superscript = (typst or mirror) and format_superscript or nil,
    Table = (html or FORMAT == "docx" or typst) and format_table or nil,
    BulletList = typst and format_list or nil,
    HorizontalRule = FORMAT == "docx" and format_rule or nil,
  },
  { Pandoc = format_document },
}
