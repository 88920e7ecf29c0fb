import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that need a process of their own. */
const alone: readonly string[] = [
  // V8 counts the blocks of functions that it compiles while it counts
  'test/**/{growth,*-growth}.test.ts',
  'test/house/count-work.test.ts',
  'test/model/token-identities.test.ts',
  'test/pipeline/watch-secrets.test.ts',
  'test/render/engine/limits.test.ts',
  // packs and installs
  'test/house/{executable,package}.test.ts',
  // servers, and what changes the process that it runs in; the rest would load src once for each file
  'test/system/!(node-crypto|node-files|node-git-error|node-git-output|node-git-tree|node-http|node-listener|node-ports|node-stored-credentials).test.ts',
  'test/handoff/{argocd,flux,model,units}/!(annotate-manifest|cel-parse|find-leaving|order-units|place-addons|placeholder-patches|plan-units|render-argo|render-flux|translate-condition).test.ts',
]

/** The longest tests of each kind: a worker that began with one late would go on when all others are done. */
const longest =
  /\/(?:handoff-argocd-life|first-placeholder|controller-storage-migration|kept-folders|class-after-addons|damaged-trees|interrupted-write|canary|pipeline\/handoff|damage-hints)\.test\.ts$/

/** Runs what has a process of its own first: the longest tests are among it, and a process that is shared ends where another kind follows. */
class AloneFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification): number =>
      (project.config.isolate ? 0 : 2) + (longest.test(moduleId) ? 0 : 1)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

const cores = availableParallelism()

/**
 * Few functions of a test run long enough to win back what V8's optimizing takes: here they become simple machine code at once, and are optimized later. Such
 * flags differ between versions of V8, so only the lowest Node, which runs all tests in CI, gets them.
 */
const lateOptimization: readonly string[] = process.version.startsWith('v20.')
  ? ['--always-sparkplug', '--interrupt-budget=400000']
  : []

const config: ViteUserConfig = defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // one less than cores by default, but many tests wait for servers; each takes memory
    maxWorkers: Math.min(2 * cores, cores + 4),
    execArgv: [...lateOptimization],
    // both projects, and the run on the other Node, load the same modules
    experimental: { fsModuleCache: true, fsModuleCachePath: join(import.meta.dirname, '.cache/modules') },
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'json-summary'] },
    sequence: { sequencer: AloneFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: [...alone] } },
      {
        extends: true,
        test: {
          name: 'shared',
          // an `exclude` of its own would not hear of --exclude
          include: ['test/**/*.test.ts', ...alone.map((pattern) => `!${pattern}`)],
          // src keeps no state that shows, and to load it anew for each file takes longer than most files
          isolate: false,
        },
      },
    ],
  },
})

export default config
