-- Health of a Cluster, for Cluster API v1beta1 and v1beta2. Healthy means that the control plane has answered once: that is what addons wait for, and
-- asking for more would wait for nodes, which wait for the CNI, which is an addon. A Cluster with the annotation stackmason.dev/health: rollout is
-- healthy only when it is available and no part of it is rolling out or behind the version it should have.
local status = obj.status or {}
local metadata = obj.metadata or {}

local function answer(health, message)
  return { status = health, message = message }
end

local function find(conditions, type)
  for _, condition in ipairs(conditions or {}) do
    if condition.type == type then
      return condition
    end
  end
  return {}
end

-- Whether the condition has this status, computed for the Cluster as it stands.
local function holds(conditions, type, wanted)
  local condition = find(conditions, type)
  return condition.status == wanted and condition.observedGeneration ~= nil and condition.observedGeneration == metadata.generation
end

-- Whether all machines that are there are up to date, and every version that is reported is the wanted one.
local function isAtTarget(group)
  if group == nil then
    return true
  end
  if group.replicas ~= nil and group.replicas ~= 0 and group.upToDateReplicas ~= group.replicas then
    return false
  end
  local version = ((obj.spec or {}).topology or {}).version
  for _, reported in ipairs(group.versions or {}) do
    if reported.version ~= version then
      return false
    end
  end
  return true
end

if metadata.deletionTimestamp ~= nil then
  return answer("Progressing", "The cluster is being deleted")
end
if obj.status == nil then
  return answer("Progressing", "Cluster API has not looked at the cluster yet")
end
if status.observedGeneration ~= nil and status.observedGeneration ~= metadata.generation then
  return answer("Progressing", "Cluster API has not taken in the last change yet")
end

local isInitialized = (status.initialization or {}).controlPlaneInitialized == true
  or find(status.conditions, "ControlPlaneInitialized").status == "True"
  or status.controlPlaneReady == true
if not isInitialized then
  return answer("Progressing", "Waiting for the control plane to answer for the first time")
end

-- v1beta1 keeps the conditions of v1beta2 apart.
local new = status.v1beta2 or status
local topology = find(new.conditions, "TopologyReconciled")
local waiting = nil
if status.observedGeneration == nil then
  waiting = "Cluster API has not taken in the cluster yet"
elseif topology.observedGeneration == nil or topology.observedGeneration ~= metadata.generation then
  waiting = "The topology of the last change has not been computed yet"
elseif topology.status ~= "True" then
  waiting = "The topology is not reconciled: " .. (topology.message or topology.reason or "no reason given")
elseif not holds(new.conditions, "RollingOut", "False") then
  waiting = "Machines are being replaced"
elseif not isAtTarget(new.controlPlane) then
  waiting = "The control plane is not up to date"
elseif not isAtTarget(new.workers) then
  waiting = "Workers are not up to date"
elseif not holds(new.conditions, "Available", "True") then
  waiting = "The cluster is not available"
end

local isRolloutGate = (metadata.annotations or {})["stackmason.dev/health"] == "rollout"
if waiting ~= nil and isRolloutGate then
  return answer("Progressing", waiting)
end
if waiting ~= nil then
  return answer("Healthy", "The control plane answers. " .. waiting)
end
return answer("Healthy", "The cluster is available and up to date")
