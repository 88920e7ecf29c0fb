import type { Code } from '../model/error-codes.ts'
import type { RuleText } from './rule.ts'

/** Those of them that compare with the committed tree: what they find was not there before. */
export const comparingCodes: ReadonlySet<Code> = new Set<Code>([
  'UPGRADE_SKIPS_MINOR',
  'UPGRADE_GOES_BACK',
  'UPGRADE_CHANGES_STACK',
  'STEPS_TOGETHER',
  'CLASS_CHANGES_IN_PLACE',
  'STORAGE_VERSION_DROPPED',
  'STORAGE_VERSION_CHANGES',
  'CLUSTER_ORPHANED',
])

/**
 * Findings of rendering that are like those of rules: judged against the committed tree, or before anything is written.
 * `check` reports them among its findings, and lists them here. They stay where they are, because they decide what is
 * written: steps of an upgrade, orphans and classes that change in place choose the commit that is due (handoff/steps),
 * storage versions whether a migration is written (handoff/migrations); duplicates and secrets stop the writing.
 *
 * Two of them stop nothing, and could be rules of `check`. But then `render` would no longer say them, and who renders
 * without `check` would commit a Cluster that falls to one machine, or a unit that the API server refuses. They need
 * what no rule sees, too: CLUSTER_AUTOSCALED the patch that decided (each patch is applied once more, one by one) and
 * the committed Cluster; NAMESPACE_MISSING what the pass adds that makes the Namespaces of own addons, without which it
 * would tell of each of them.
 */
export const renderRules: readonly RuleText[] = [
  render('UPGRADE_SKIPS_MINOR', 'error', [
    'Kubernetes is upgraded minor by minor, and so are the control planes of Cluster API.',
  ]),
  render('UPGRADE_GOES_BACK', 'error', [
    'Neither Kubernetes nor etcd goes back to a lower version; a revert of an applied upgrade is such a step.',
  ]),
  render('UPGRADE_CHANGES_STACK', 'error', [
    'Machines, networks and addons of one stack are none of another: a cluster cannot change its provider or stack in place.',
  ]),
  render('STEPS_TOGETHER', 'error', [
    'An upgrade is two commits, first the addons, then class and version. Both in one reach the cluster in any order.',
  ]),
  render('CLASS_CHANGES_IN_PLACE', 'warning', [
    'A class that changes under its version rolls the machines of all clusters that use it at once.',
  ]),
  render('STORAGE_VERSION_DROPPED', 'error', [
    'The API server refuses a definition that loses the version in which its objects are stored.',
  ]),
  render('STORAGE_VERSION_CHANGES', 'warning', [
    'Objects stay in the old version until they are rewritten, which nothing does by itself.',
  ]),
  render('CLUSTER_ORPHANED', 'warning', [
    'A folder that is deleted deletes no cluster: it runs on, and nobody manages it.',
  ]),
  render('CLUSTER_AUTOSCALED', 'warning', ['The GitOps tool and the autoscaler would undo what the other did.']),
  render('NAMESPACE_MISSING', 'warning', [
    'The API server refuses objects in a namespace that is not there, and Flux holds back their unit.',
  ]),
  render('OBJECT_DUPLICATE', 'error', ['Two owners of one object take it from each other, and kustomize refuses it.']),
  render('SECRET_IN_PLAINTEXT', 'error', [
    'What is committed in plain text is known to everybody who ever reads the repository. Private keys in other objects than Secrets count, too.',
    'In a fleet without a GitOps tool nothing says that the tree is committed: there it is a warning of `check` alone.',
  ]),
]

function render(code: Code, severity: RuleText['severity'], explanation: readonly string[]): RuleText {
  return { code, severity, explanation: [...explanation, 'Rendering finds it.'] }
}
