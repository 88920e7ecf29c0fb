-- Health of an Image of the OpenStack resource controller: Healthy when it is in the cloud as asked for now, Degraded only for what a person must put right.
local status = obj.status or {}
local metadata = obj.metadata or {}

local function find(type)
  for _, condition in ipairs(status.conditions or {}) do
    if condition.type == type and condition.observedGeneration ~= nil and condition.observedGeneration == metadata.generation then
      return condition
    end
  end
  return {}
end

local available = find("Available")
local progressing = find("Progressing")
local message = progressing.message or ""

if metadata.deletionTimestamp ~= nil then
  return { status = "Progressing", message = "The image is being deleted" }
end
if progressing.status == "False" and (progressing.reason == "InvalidConfiguration" or progressing.reason == "UnrecoverableError") then
  return { status = "Degraded", message = message }
end
if available.status == "True" and status.id ~= nil and status.id ~= "" then
  return { status = "Healthy", message = "The image is available" }
end
return { status = "Progressing", message = message ~= "" and message or "Waiting for the image" }
