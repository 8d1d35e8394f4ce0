-- The filter that one would write in an evening: links the markers of each word to the sources of
-- their turn and lists the sources. It knows no markers over several words, no scopes but turns,
-- checks no URL, and reads only the plainest YAML; it is here to be timed. Of the timed text it
-- makes the links and lists that cite-filter makes.

local function sources_of(div)
  local sources, order = {}, {}
  div:walk {
    CodeBlock = function(block)
      if block.classes[1] ~= "sources" then return end
      local source
      for line in block.text:gmatch("[^\n]+") do
        local index = line:match("^%- index: (%d+)")
        if index then
          source = { number = index }
          sources[index] = source
          table.insert(order, source)
        elseif source then
          source.title = line:match("^%s+title: (.+)$") or source.title
          source.url = line:match("^%s+url: (.+)$") or source.url
        end
      end
    end,
  }
  return sources, order
end

local function links_of(numbers, sources)
  local links = pandoc.Inlines {}
  for number in numbers:gmatch("%d+") do
    local source = sources[number]
    if not source then return nil end
    if #links > 0 then links:insert(pandoc.Space()) end
    links:insert(pandoc.Link(number, source.url, source.title, { class = "citation" }))
  end
  return links
end

local function link(str, sources)
  local out, position = pandoc.Inlines {}, 1
  for before, numbers, after in str.text:gmatch("()(%[[%d,^%]%[]+%])()") do
    local links = links_of(numbers, sources)
    if links then
      if before > position then out:insert(pandoc.Str(str.text:sub(position, before - 1))) end
      out:insert(pandoc.Superscript(links))
      position = after
    end
  end
  if position == 1 then return nil end
  if position <= #str.text then out:insert(pandoc.Str(str.text:sub(position))) end
  return out
end

local function list(order)
  local items = {}
  for _, source in ipairs(order) do
    local entry = pandoc.Inlines { pandoc.Link("[" .. source.number .. "]", source.url) }
    for word in source.title:gmatch("%S+") do
      entry:extend { pandoc.Space(), pandoc.Str(word) }
    end
    table.insert(items, { pandoc.Plain(entry) })
  end
  local title = pandoc.Para { pandoc.Emph "Sources" }
  return pandoc.Div({ title, pandoc.BulletList(items) }, { class = "sources-list" })
end

function Div(div)
  if not div.classes:includes("turn") then return nil end
  local sources, order = sources_of(div)
  return div:walk {
    Str = function(str)
      if str.text:find("[", 1, true) then return link(str, sources) end
    end,
    CodeBlock = function(block)
      if block.classes[1] == "sources" then return list(order) end
    end,
  }
end
