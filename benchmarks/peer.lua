-- The filter that one would write in an evening: links single markers to the sources of their turn.
-- It knows no groups, no runs, no scopes but turns, and checks no URL; it is here to be timed.

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

local function link(str, urls)
  local out, position = pandoc.Inlines {}, 1
  for before, number, after in str.text:gmatch("()%[(%d+)%]()") do
    local url = urls[number]
    if url then
      if before > position then out:insert(pandoc.Str(str.text:sub(position, before - 1))) end
      out:insert(pandoc.Superscript { pandoc.Link(number, url) })
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
