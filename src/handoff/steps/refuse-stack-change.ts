import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { formatClassName, matchClassName } from '../../model/release-name.ts'

/**
 * The error for a cluster that is to change the provider or stack of its class in place; undefined when it keeps both.
 * `from` is the class that it has. Rule: cluster-stack operator, internal/webhook/cluster_webhook.go.
 */
export function refuseStackChange(
  cluster: Cluster,
  from: string,
  to: string = cluster.className,
): Diagnostic | undefined {
  const [before, after] = [matchClassName(from), matchClassName(to)]
  if (!('value' in before && 'value' in after)) return undefined
  const [old, wanted] = [before.value, after.value]
  if (old.provider === wanted.provider && old.stack === wanted.stack) return undefined
  const { namespace, name, classAt } = cluster
  const effect =
    old.provider === wanted.provider
      ? `its machines would be replaced by those of a stack that no release has tested an upgrade to, and addons that ${stackOf(wanted)} does not have would be deleted from the running cluster`
      : `Cluster API cannot move a running cluster from provider ${old.provider} to ${wanted.provider}, and addons made for ${wanted.provider} would replace those that it runs with`
  return {
    code: 'UPGRADE_CHANGES_STACK',
    severity: 'error',
    message: `${namespace}/${name} is at ${formatClassName(old)} and cannot change to stack ${stackOf(wanted)} in place: ${effect}`,
    at: classAt,
    hint:
      `Put class ${formatClassName(old)} back, or another release of ${stackOf(old)}. To move to ${stackOf(wanted)}, make a new cluster ` +
      `under another name in clusters/${namespace}/, move the workloads there, and decommission ${name}.`,
  }
}

function stackOf({ provider, stack }: { readonly provider: string; readonly stack: string }): string {
  return `${provider}-${stack}`
}
