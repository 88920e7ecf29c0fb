-- Health of an Application inside another one, which Argo CD leaves out since 1.8: without it, sync waves do not wait for Applications. It is the health
-- that Argo CD has found for the Application's objects, but not while that is the health of what was there before the last change.
local status = obj.status or {}
local metadata = obj.metadata or {}
local spec = obj.spec or {}
local sync = status.sync or {}
local health = status.health or {}

local function progressing(message)
  return { status = "Progressing", message = message }
end

-- Whether Argo CD has compared the source that the Application has now.
local function isSame(wanted, compared)
  for _, key in ipairs({ "repoURL", "path", "targetRevision", "chart" }) do
    if wanted[key] ~= nil and wanted[key] ~= compared[key] then
      return false
    end
  end
  return true
end

if metadata.deletionTimestamp ~= nil then
  return progressing("The application is being deleted")
end
if (metadata.labels or {})["stackmason.dev/awaited"] == "false" then
  return { status = "Healthy", message = "Nothing waits for it; its own health: " .. (health.status or "unknown") }
end
if health.status == nil then
  return progressing("Argo CD has not looked at the application yet")
end
if obj.operation ~= nil or (status.operationState or {}).phase == "Running" then
  return progressing("The application is being synced")
end
if sync.status == nil or sync.status == "Unknown" then
  return progressing("Argo CD has not been able to compare the application with its source yet")
end
local compared = (sync.comparedTo or {}).source
if spec.source ~= nil and compared ~= nil and not isSame(spec.source, compared) then
  return progressing("Argo CD has not compared the application's new source yet")
end
return { status = health.status, message = health.message or "" }
