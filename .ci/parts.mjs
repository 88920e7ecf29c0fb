// The parts of CI. What stands in one step runs at once; a step begins when the one before has ended.

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {number} minutes It is stopped when it takes longer.
 * @property {string} command Of sh.
 * @property {boolean} [isNeeded] Without it nothing after it can be run.
 * @property {boolean} [isBeside] It gives way to the others of its step, and prints when it has ended.
 * @property {number} [leaves] Minutes of the whole that it may not take: it is stopped before.
 * @property {boolean} [hasTests] It leaves results of tests in the file that CI_RESULTS names.
 */

const hasVersions = `${process.platform}-${process.arch}` === 'linux-x64'
if (!hasVersions) {
  process.stdout.write(
    'SKIPPED: runs on the lowest Node and the current LTS: npm ships the binaries in use for Linux on x64\n',
  )
}

const asked = process.env.STACKMASON_CI_SHARD ?? '1/1'
const [, own, count] = /^([1-9])\/([1-9])$/.exec(asked) ?? []
if (own === undefined || Number(own) > Number(count))
  throw new Error(`STACKMASON_CI_SHARD is "${asked}": it names one of several machines, like 2/3`)
/** Each machine runs its part of the tests; what is not divided, the first or the last one does. */
const [isFirst, isLast] = [own === '1', own === count]
const shard = count === '1' ? '' : ` --shard=${own}/${count}`

const tool = (name) => `node --import tsx tools/${name}.ts`
const reporters = '--reporter=default --reporter=./.ci/reporter.mjs'
// its failure is reported once, by the part that brings it, and the tests show more on the Node of the machine than not at all
const onLowest = hasVersions ? `lowest=$(${tool('node')} lowest) && PATH="$lowest:$PATH"; ` : ''
const onLts = `PATH="$(${tool('node')} lts):$PATH" && `

/** Waits until a command succeeds, or for so many minutes. */
const inMinutes = (minutes, command) =>
  `n=0; until ${command} >/dev/null 2>&1 || [ $n -ge ${String(minutes * 60)} ]; do sleep 1; n=$((n + 1)); done`

const inMemory = 'export TMPDIR="${CI_MEMORY:-${TMPDIR:-/tmp}}"; '

/** Takes what the tests have packed and installed; where they have not, it does so itself. @type {Part} */
const onLtsPackage = {
  name: 'package on LTS',
  minutes: 15,
  command:
    (isFirst ? `${inMinutes(6, 'ls .cache/installed-package/*.tar')}; ` : '') +
    `${onLts}npx vitest run test/house/package.test.ts ${reporters}`,
  hasTests: true,
}

/** @type {readonly (readonly Part[])[]} */
export const steps = [
  [{ name: 'npm ci', minutes: 10, command: 'npm ci --no-audit --no-fund', isNeeded: true }],
  // without any cache two cores take a quarter of an hour for the first, and less for the others; what cannot be built fails the tests that need it alone
  ...['kube', 'helm', 'gates', 'argocd', 'capi', 'gitea'].map((name) => [
    { name: `tools/${name}.ts`, minutes: 30, command: tool(name), leaves: 20 },
  ]),
  [{ name: 'tools/browser.ts', minutes: 10, command: tool('browser'), leaves: 18 }],
  ...(hasVersions ? ['lowest', 'lts'] : []).map((version) => [
    { name: `Node, ${version}`, minutes: 5, leaves: 18, command: `${tool('node')} ${version}` },
  ]),
  // a test that waits for it on a busy machine would not be in time
  [{ name: 'tools/built-program.ts', minutes: 5, command: tool('built-program'), leaves: 18 }],
  [{ name: 'tools/module-cache.ts', minutes: 1, command: tool('module-cache') }],
  [
    {
      name: 'tests',
      minutes: 40,
      command: `${inMemory}${onLowest}node --version && npm test --${shard} ${reporters}`,
      hasTests: true,
    },
    ...(isFirst ? [{ name: 'checks', minutes: 15, command: `${onLowest}${tool('check')}`, isBeside: true }] : []),
    // many of the tests wait for servers: this takes what they leave
    ...(hasVersions
      ? [
          {
            name: 'tests on LTS',
            minutes: 30,
            // the flag reaches no project
            command: `${onLts}node --version && VITEST_MAX_WORKERS=2 npm run --silent test:node -- --exclude test/house/package.test.ts${shard} ${reporters}`,
            isBeside: true,
            hasTests: true,
          },
        ]
      : []),
    // one machine runs both
    ...(hasVersions && isLast && isFirst ? [{ ...onLtsPackage, isBeside: true }] : []),
  ],
  ...(hasVersions && isLast && !isFirst ? [[onLtsPackage]] : []),
]
