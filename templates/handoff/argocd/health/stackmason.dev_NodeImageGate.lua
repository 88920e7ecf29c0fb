-- Health of an object that Stackmason's controller works on: Healthy when it is ready for what is asked now, Degraded when it is stalled until a person acts.
-- Argo CD wants one script per kind; those of RuntimeValues, NodeImageGate and StorageMigration are the same.
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

local ready = find("Ready")
local stalled = find("Stalled")

if metadata.deletionTimestamp ~= nil then
  return { status = "Progressing", message = "Being deleted" }
end
if status.observedGeneration == nil or status.observedGeneration ~= metadata.generation then
  return { status = "Progressing", message = "Waiting for Stackmason's controller" }
end
if stalled.status == "True" then
  return { status = "Degraded", message = stalled.message or stalled.reason or "Stalled" }
end
if ready.status == "True" then
  return { status = "Healthy", message = ready.message or "" }
end
return { status = "Progressing", message = ready.message or "Waiting for Stackmason's controller" }
