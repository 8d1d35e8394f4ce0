-- The filter that one would write in an evening: links the markers of each word to the sources of
-- their turn. It knows no markers over several words, no runs, no scopes but turns, and checks no
-- URL; it is here to be timed, and links as many numbers of the timed text as cite-filter does.

local function sources_of(div)
  local urls = {}
  div:walk {
    CodeBlock = function(block)
      if block.classes[1] ~= "sources" then return end
      local index
      for line in block.text:gmatch("[^\n]+") do
        index = line:match("^%- index: (%d+)") or index
        local url = line:match("^%s+url: (.+)$")
        if index and url then urls[index] = url end
      end
    end,
  }
  return urls
end

local function links_of(numbers, urls)
  local links = pandoc.Inlines {}
  for number in numbers:gmatch("%d+") do
    if not urls[number] then return nil end
    if #links > 0 then links:insert(pandoc.Space()) end
    links:insert(pandoc.Link(number, urls[number]))
  end
  return links
end

local function link(str, urls)
  local out, position = pandoc.Inlines {}, 1
  for before, numbers, after in str.text:gmatch("()%[([%d,^]+)%]()") do
    local links = links_of(numbers, urls)
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

local function list(urls)
  local items = {}
  for number, url in pairs(urls) do
    table.insert(items, { pandoc.Plain { pandoc.Link("[" .. number .. "]", url) } })
  end
  return pandoc.BulletList(items)
end

function Div(div)
  if not div.classes:includes("turn") then return nil end
  local urls = sources_of(div)
  return div:walk {
    Str = function(str)
      if str.text:find("[", 1, true) then return link(str, urls) end
    end,
    CodeBlock = function(block)
      if block.classes[1] == "sources" then return list(urls) end
    end,
  }
end
