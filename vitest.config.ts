import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that need a process of their own. */
const alone: readonly string[] = [
  // V8 counts the blocks of functions that it compiles while it counts
  'test/**/{growth,*-growth}.test.ts',
  'test/house/count-work.test.ts',
  'test/model/token-identities.test.ts',
  'test/render/engine/limits.test.ts',
  // servers and other programs, which are waited for more than code is loaded
  'test/{house,system}/**/*.test.ts',
  'test/handoff/{argocd,flux,model,units}/**/*.test.ts',
]

/** Runs what has a process of its own first: the longest tests are among it, and a process that is shared ends where another kind follows. */
class AloneFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isAlone = ({ project }: TestSpecification): boolean => project.config.isolate
    return [...sorted.filter(isAlone), ...sorted.filter((file) => !isAlone(file))]
  }
}

const config: ViteUserConfig = defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // one less by default, and many tests wait for servers
    maxWorkers: '100%',
    coverage: { provider: 'v8', include: ['src/**'], reporter: ['text-summary', 'json-summary'] },
    sequence: { sequencer: AloneFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: [...alone] } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone],
          // src keeps no state that shows, and to load it anew for each file takes longer than most files
          isolate: false,
        },
      },
    ],
  },
})

export default config
