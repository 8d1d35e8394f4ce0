-- styles.lua: from the classes of a finished document (turn, prompt, sources-list, citation, and the alerts of gfm)
-- to what each output format has for them. It runs after cite-filter. The typst output needs report.typ, which
-- defines the functions called here. Documents are untrusted: nothing of theirs is ever put into a raw block.

local typst = FORMAT == "typst"
local word  = FORMAT == "docx" or FORMAT == "odt"
local html  = FORMAT:match("^html") or FORMAT:match("^epub")
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

local function clean(el)
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
  return clean(tbl)
end

-- Helpers ----------------------------------------------------------------------------------------------------------

local function raw(code) return pandoc.RawBlock("typst", code) end
local function raw_inline(code) return pandoc.RawInline("typst", code) end

local function around(before, blocks, after)
  local out = pandoc.Blocks { raw(before) }
  out:extend(blocks)
  out:insert(raw(after))
  return out
end

local function styled(name, blocks) return pandoc.Div(blocks, { ["custom-style"] = name }) end

-- The paragraphs of a div get a style; lists, code and tables in it keep their own.
local function style_paragraphs(name, blocks)
  return blocks:map(function(block)
    return (block.t == "Para" or block.t == "Plain") and styled(name, { block }) or block
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

-- An id must be kept as a span: the typst and docx writers drop that of a link.
local function entry(inlines)
  local number, rest, url = parts(inlines)
  if not number then return inlines end
  local out = pandoc.Inlines {}
  if typst then
    out:extend { raw_inline("#source-number["), number, raw_inline("]#source-title[") }
    out:extend(rest)
    out:insert(raw_inline("]"))
    if url then out:extend { raw_inline("#source-url["), pandoc.Link(url, url), raw_inline("]") } end
  elseif FORMAT == "docx" then
    out:extend { number, pandoc.RawInline("openxml", "<w:r><w:tab/></w:r>") }
    out:extend(rest)
    if url then
      local shown = pandoc.Span(url, { ["custom-style"] = "Source URL" })
      out:extend { pandoc.LineBreak(), pandoc.Link({ shown }, url) }
    end
  elseif html then
    if number.t == "Str" then number = pandoc.Span({ number }, { class = "number" }) end
    out:extend { number, pandoc.Space(), pandoc.Span(rest, { dir = "auto", ["data-url"] = url }) }
  else
    return inlines
  end
  return out
end

local function first_of(item)
  local block = item[1]
  return block and (block.t == "Plain" or block.t == "Para") and block or nil
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
      if word then block = styled("Sources Heading", { block }) end
      out:extend(typst and around("#sources-heading[", { block }, "]") or { block })
    else
      out:insert(block)
    end
  end
  if typst then return around("#sources[", out, "]") end
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
  if typst then return around("#prompt" .. language(div) .. "[", div.content, "]") end
  if text then return pandoc.BlockQuote(div.content) end
  if word then div.content = style_paragraphs("Prompt", div.content) end
  return div
end

local function turn(div)
  if typst then
    local id = div.identifier ~= "" and pandoc.Div({}, { id = div.identifier }) or nil
    local blocks = pandoc.Blocks(id and { id } or {})
    blocks:extend(div.content)
    return around("#turn" .. language(div) .. "[", blocks, "]")
  end
  if text then return div.content end
  if html then div.attributes.role = div.attributes.role or "article" end
  return div
end

local function alert(div, kind)
  local title = div.content[1]
  if not (title and title.t == "Div" and title.classes:includes("title")) then return nil end
  local body = pandoc.Blocks { table.unpack(div.content, 2) }
  if typst then
    local out = around('#alert("' .. kind .. '")[', title.content, "]")
    out[#out] = raw("][")
    out:extend(body)
    out:insert(raw("]"))
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

local function format_div(div)
  local classes = div.classes
  if classes:includes("sources-list") then return sources(div) end
  if classes:includes("prompt") then return prompt(div) end
  if classes:includes("turn") then return turn(div) end
  local kind = alerts:find_if(function(name) return classes:includes(name) end)
  return kind and alert(div, kind)
end

-- Smaller things ---------------------------------------------------------------------------------------------------

local function format_link(link)
  if not link.classes:includes("citation") then return nil end
  if FORMAT == "docx" then
    link.content = { pandoc.Span(link.content, { ["custom-style"] = "Citation" }) }
    return link
  end
end

-- Typst would set a bullet before each box of a task list.
local function format_list(list)
  local first = list.content[1] and first_of(list.content[1])
  local mark = first and first.content[1]
  if typst and mark and (mark.text == "☐" or mark.text == "☒") then return around("#tasks[", { list }, "]") end
end

-- A wide table scrolls in its own box; the page does not.
local function format_table(tbl)
  if html then return pandoc.Div({ tbl }, { class = "table", tabindex = "0" }) end
end

local function format_meta(meta)
  local lang = meta.lang and pandoc.utils.stringify(meta.lang)
  if lang and not lang:match("^%a%a%a?[%w-]*$") then lang, meta.lang = nil, nil end
  local dir = meta.dir and pandoc.utils.stringify(meta.dir)
  if dir ~= "ltr" and dir ~= "rtl" then dir = nil end
  meta.dir = direction(lang or "en", dir)
  return meta
end

return {
  {
    Div = clean, Span = clean, Header = clean, CodeBlock = clean, Code = clean, Link = clean, Image = clean,
    Figure = clean, Table = clean_table, Meta = format_meta,
  },
  { Div = format_div, Link = format_link, Table = format_table, BulletList = format_list },
}
