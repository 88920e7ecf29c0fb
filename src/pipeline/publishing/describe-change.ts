import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { dirName, joinPath } from '../../codec/path.ts'
import { parseObjectPath } from '../../model/object-name.ts'
import { forgeAbilities } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import type { StepPlan } from '../../model/steps.ts'
import { describeFinding } from '../../report/describe-finding.ts'
import { foldFindings } from '../../report/fold-findings.ts'
import type { PublishTemplates, PullRequestText, TextLimits } from '../../report/pull-request/pull-request-facts.ts'
import { writePullRequest } from '../../report/pull-request/pull-request-text.ts'
import { createShortenPath } from '../../report/shorten-path.ts'
import { namesInChange } from '../../report/tree-change/names-in-change.ts'
import { compareOpenTrees } from '../compare/compare-open-trees.ts'
import { withExceptions } from '../fleet/find-exceptions.ts'
import { programVersion } from '../program-version.ts'
import { readOwnTemplate } from '../deliver/own-template.ts'
import type { ForgeLocation } from './locate-target.ts'
import type { FleetCheckout } from './open-checkout.ts'
import { templatePath, titleTemplate } from './own-templates.ts'
import type { PreparedSource } from './prepare-source.ts'
import { narrowTrees, type RenderedSource } from './rendered-source.ts'
import { clustersOf, type SourceChange } from './source-change.ts'
import { relocateFindings, relocateSteps } from './relocate-findings.ts'

/** A change that is to be told. */
export interface TellingRequest {
  readonly checkout: FleetCheckout
  readonly prepared: PreparedSource
  readonly rendered: RenderedSource
  /** Of what was rendered, what is told of. */
  readonly change: SourceChange
  /** Paths of the tree that it carries; undefined: all that differ. */
  readonly part?: ReadonlySet<string> | undefined
  /** Why nobody should merge it yet. */
  readonly draft?: string | undefined
  /** The group that is published together. */
  readonly group: string
  /** The branch that gets the commit. */
  readonly head: string
  /** The forge that shows it; undefined: nobody knows which. */
  readonly forge: ForgeLocation | undefined
  /** The body that the pull request has. */
  readonly existing: string | undefined
  /** The page of this run. */
  readonly runUrl: string | undefined
  /** Hides secret values in a text. */
  readonly mask: (text: string) => string
  /** Takes names that `mask` leaves as they are. */
  readonly spare: ((names: Iterable<string>) => void) | undefined
}

/**
 * Writes what the commit and the pull request say.
 * @throws StackmasonError PUBLISH_TEMPLATE, FILE_UNREADABLE, GIT_FAILED
 */
export async function describeChange(request: TellingRequest, ports: Ports): Promise<PullRequestText> {
  const { checkout, prepared, rendered, change, group, head, forge, existing, runUrl, mask } = request
  const { result, digest } = change
  const { folder } = rendered.tree
  const root = joinPath(folder, dirName(checkout.file))
  const pair = await rendered.trees()
  const { before, after } = request.part === undefined ? pair : narrowTrees(pair, { group, part: request.part })
  const clusters = clustersOf(change.files).map(parseObjectPath)
  const roots = { from: folder, to: checkout.facts.root }
  const shorten = createShortenPath(checkout.fleet.root)
  const limits: TextLimits = forgeAbilities[forge?.kind ?? 'github']
  const compared = await compareOpenTrees(before, after)
  request.spare?.(namesInChange(compared))
  return writePullRequest(
    {
      change: withExceptions(compared, await prepared.exceptions()),
      findings: foldFindings(relocateFindings(result.findings, roots)).map((folded) =>
        describeFinding(folded, shorten),
      ),
      // where a work tree or the checkout lies is nothing that others should read, or that texts should differ by
      steps: [folder, checkout.facts.root].reduce<readonly StepPlan[]>(
        (steps, place) => relocateSteps(steps, { from: `${place}/`, to: '' }),
        result.steps ?? [],
      ),
    },
    {
      fleet: result.fleet,
      group,
      clusters: /^(?:cluster|namespace)\//.test(group) ? clusters : undefined,
      draft: request.draft,
      base: prepared.branch,
      head,
      folder: dirName(checkout.file) === '.' ? '' : dirName(checkout.file),
      lock: digest,
      forge,
      run: {
        version: await programVersion(ports),
        commit: prepared.source,
        report: runUrl,
      },
    },
    {
      templates: await readTemplates(root, checkout, ports),
      limits,
      existing,
      mask,
      crypto: ports.crypto,
    },
  )
}

/** Ours, and in their place those that the fleet has under the same path. */
async function readTemplates(
  root: string,
  { fleet }: FleetCheckout,
  { files, packageFiles }: Ports,
): Promise<PublishTemplates> {
  const read = async (name: 'pull-request' | 'commit'): Promise<Source> => {
    const path = templatePath(name)
    const own = joinPath(root, path)
    if ((await files.stat(own)) === undefined) return { name: path, text: decodeUtf8(await packageFiles.read(path)) }
    return { ...(await readOwnTemplate(path, root, { files })), path: joinPath(fleet.root, path) }
  }
  return {
    pullRequest: await read('pull-request'),
    commit: await read('commit'),
    title: titleTemplate(fleet),
  }
}
