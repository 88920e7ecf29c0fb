import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { followTree, planTree } from './oci-fleet.ts'
import { type ArtifactEnd, type ArtifactRun, asWarning, NOTHING, type PublishedArtifact } from './oci-run.ts'
import { openSigningKey } from './oci-registry.ts'
import { followPins, pinArtifacts, pushPinned, type RenderedChange } from './oci-units.ts'
import type { SourceChange } from './source-change.ts'

/** Publishes artifacts in a run; does nothing where the fleet asks for none. */
export interface ArtifactPublisher {
  /** Adds pins to a change, and the push of what they pin to what is done before it is pushed. */
  readonly pin: (rendered: RenderedChange) => Promise<SourceChange>
  /** Brings the registry to what the branch has at a commit. */
  readonly follow: (commit: string | undefined) => Promise<void>
  /** Plans the same for a commit of the branch that is not made yet. */
  readonly planFollow: () => void
  /** The same before all else is done. A failure waits until the end: the rest may not need a registry. */
  readonly followFirst: (commit: string | undefined) => Promise<void>
  /** Everything that was done, and the failure that has waited. */
  readonly end: () => Promise<ArtifactEnd>
}

/** @param run undefined: no artifacts */
export function createArtifactPublisher(run: ArtifactRun | undefined, ports: Ports): ArtifactPublisher {
  if (run === undefined) {
    return {
      pin: ({ change }) => Promise.resolve(change),
      follow: () => Promise.resolve(),
      planFollow: () => undefined,
      followFirst: () => Promise.resolve(),
      end: () => Promise.resolve(NOTHING),
    }
  }
  const done: ArtifactEnd[] = []
  const planned: (() => Promise<ArtifactEnd>)[] = []
  let failure: StackmasonError | undefined
  const followNow = async (commit: string | undefined): Promise<void> => {
    if (run.isProposed || commit === undefined) return
    done.push(run.config.artifacts === 'fleet' ? await followTree(run, commit, ports) : await followUnits(run, ports))
  }
  const followLater = async (commit: string | undefined): Promise<void> => {
    try {
      await followNow(commit)
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      failure = error
    }
  }
  return {
    pin: async (rendered) => {
      if (run.config.artifacts === 'fleet') return rendered.change
      const { change, ...tree } = await pinArtifacts(run, rendered, ports)
      const push = (): Promise<ArtifactEnd> => pushPinned(run, tree, ports)
      // the work tree is gone at the end
      if (run.mode === 'plan') planned.push(push)
      return { ...change, beforehand: async () => void done.push(await push()) }
    },
    // a commit that was made before is told, whatever happens to its artifact
    follow: run.isAlone && run.mode === 'act' ? followNow : followLater,
    planFollow: () => {
      // units are planned with their pins
      if (!run.isProposed && run.config.artifacts === 'fleet') done.push(planTree(run))
    },
    followFirst: followLater,
    end: async () => {
      for (const push of planned) done.push(await push())
      if (failure !== undefined) {
        const { diagnostics } = failure
        done.push({ artifacts: [], findings: run.mode === 'plan' ? diagnostics.map(asPlanned) : diagnostics })
      }
      if (done.some(({ artifacts }) => artifacts.length > 0))
        done.push({ artifacts: [], findings: await keyProblems(run, ports) })
      return {
        artifacts: uniqueArtifacts(done.flatMap(({ artifacts }) => artifacts)),
        findings: done.flatMap(({ findings }) => findings),
      }
    },
  }
}

/** A registry may be out of reach where a plan is made; what is in the tree is the same everywhere. */
function asPlanned(finding: Diagnostic): Diagnostic {
  return finding.code === 'OUTPUT_FOREIGN' ? finding : asWarning(finding)
}

/** What the run itself would fail with, told in its plan. Other plans are made where no key is, too. */
async function keyProblems(run: ArtifactRun, ports: Ports): Promise<readonly Diagnostic[]> {
  if (run.mode !== 'plan' || !run.isAlone || run.isProposed) return []
  try {
    await openSigningKey(run.config, ports)
    return []
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics
    throw error
  }
}

async function followUnits(run: ArtifactRun, ports: Ports): Promise<ArtifactEnd> {
  const { unpinned, ...end } = await followPins(run, ports)
  if (unpinned === 0 || !run.isAlone) return end
  const finding: Diagnostic = {
    code: 'PUBLISH_NOT_PINNED',
    severity: 'warning',
    message: `branch ${run.prepared.branch} holds ${String(unpinned)} clusters and stacks as no artifact that it pins has them; nothing was pushed for these`,
    hint: 'Run `stackmason publish` without --oci: it pushes the artifacts, and proposes the pins.',
  }
  return { ...end, findings: [...end.findings, finding] }
}

const byWeight: readonly PublishedArtifact['action'][] = ['current', 'planned', 'signed', 'tagged', 'pushed']

/** Each artifact once, with the most that was done about it. */
function uniqueArtifacts(artifacts: readonly PublishedArtifact[]): readonly PublishedArtifact[] {
  const unique = new Map<string, PublishedArtifact>()
  for (const artifact of artifacts) {
    const key = `${artifact.repository}@${artifact.digest ?? ''}`
    const before = unique.get(key)?.action ?? 'current'
    const action = byWeight.indexOf(before) > byWeight.indexOf(artifact.action) ? before : artifact.action
    unique.set(key, { ...artifact, action })
  }
  return [...unique.values()]
}
