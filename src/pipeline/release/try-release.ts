import { beginCheck } from '../../check/begin-check.ts'
import type { CheckInputs } from '../../check/check-inputs.ts'
import { invalidClasses } from '../../check/rules/invalid-classes.ts'
import { missingClassTemplates } from '../../check/rules/missing-class-templates.ts'
import { readBuiltInSchemas } from '../../check/schema/built-in-schemas.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type Diagnostic, StackmasonError, withSubject } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { Dict } from '../../model/value.ts'
import { locateFinding } from '../../render/explain/locate-findings.ts'
import { createChartRenderer } from '../../render/stack/chart-renderer.ts'
import { classTemplateProblem } from '../../render/stack/class-template.ts'
import { createFinisher } from '../../render/stack/create-finisher.ts'
import { type RenderedClass, renderClass } from '../../render/stack/render-class.ts'
import type { ClusterOptions } from '../../render/stack/render-cluster.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import { SAMPLE_NAMESPACE, sampleCluster } from './sample-cluster.ts'
import { tryAddon } from './try-addon.ts'

const KUBERNETES = 'templates/kubernetes/schemas.txt'

/**
 * Renders the class of a release, and each of its addons for a sample Cluster, as `render` does, and forgets it: before
 * a release is made that no fleet could render. What clusters may mend with values of their own is a warning, and what
 * charts decide that are not there is left open.
 * @returns warnings
 * @throws StackmasonError TEMPLATE_*, CHART_*, OBJECT_*, CLASS_INVALID, CLASS_TEMPLATE_MISSING
 */
export async function tryRelease(
  release: Release,
  ports: Pick<Ports, 'crypto' | 'clock' | 'deadline' | 'packageFiles'>,
): Promise<readonly Diagnostic[]> {
  const options = trialOptions(ports)
  const trial = tryClass(release, options, await readInputs(ports))
  const sample = sampleCluster(release, trial.clusterClass)
  const found = release.addons.flatMap((addon) =>
    tryAddon(addon, { release, clusterClass: trial.clusterClass, sample, options }),
  )
  const told = [...trial.problems, ...found].map((finding) =>
    withSubject(finding, { release: formatTag(release.name) }),
  )
  const problems = told.filter(({ severity }) => severity === 'error')
  if (problems.length > 0) throw new StackmasonError(problems)
  return told
}

/** Kinds whose scope a fleet has to say are taken as namespaced. */
function trialOptions({ crypto, clock, deadline }: Pick<Ports, 'crypto' | 'clock' | 'deadline'>): ClusterOptions {
  const finish = createFinisher()
  return {
    helmVersion: 4,
    instanceLabel: true,
    scopes: [],
    charts: createChartRenderer(crypto, { elapsed: () => clock.monotonic(), deadline }),
    finish: (manifests, { scopeOf, ...rest }) =>
      finish(manifests, { ...rest, scopeOf: (group, kind) => scopeOf(group, kind) ?? 'Namespaced' }),
    crypto,
    runtimeFields: 'bind',
  }
}

async function readInputs({ packageFiles }: Pick<Ports, 'packageFiles'>): Promise<CheckInputs> {
  const builtIn = readBuiltInSchemas(decodeUtf8(await packageFiles.read(KUBERNETES)))
  return { builtIn, definitions: [], classTemplateProblem }
}

interface ClassTrial {
  readonly clusterClass?: Dict | undefined
  readonly problems: readonly Diagnostic[]
}

function tryClass(release: Release, options: ClusterOptions, inputs: CheckInputs): ClassTrial {
  let rendered: RenderedClass
  try {
    rendered = renderClass(release, SAMPLE_NAMESPACE, options)
  } catch (error) {
    const problems = diagnosticsOf(error)
    return { problems: problems.some(({ code }) => code === OPEN) ? [] : problems }
  }
  return { clusterClass: rendered.clusterClass, problems: judgeClass(release, rendered, inputs) }
}

/** Told of a chart whose dependencies are still to be fetched. */
const OPEN: Code = 'CHART_DEPENDENCY_MISSING'

/** The problems for which Cluster API refuses the class, or never reconciles a cluster of it. */
function judgeClass(release: Release, { folder, locator }: RenderedClass, inputs: CheckInputs): readonly Diagnostic[] {
  const tag = formatTag(release.name)
  return beginCheck([invalidClasses, missingClassTemplates], inputs).unit({
    kind: 'stack',
    subject: { release: tag },
    locate: (finding) => locateFinding(finding, locator),
    folders: [{ ...folder, place: { kind: 'stack', namespace: SAMPLE_NAMESPACE, tag }, destination: 'management' }],
    isKept: false,
  })
}
