import { helmBinary } from '../../tools/helm.ts'

/**
 * The real helm, for tests that hold us against it. Without it they skip themselves, which is told once, naming `what`
 * is not tried; in CI they fail.
 * @throws Error when there is none in CI
 */
export function realHelm(what: string): string | undefined {
  const helm = helmBinary()
  if (helm !== undefined) return helm
  const message = `no helm: ${what}`
  if (process.env['CI'] !== undefined) throw new Error(`${message} cannot run; npx tsx tools/helm.ts builds it`)
  console.warn(`SKIPPED, ${message}; npx tsx tools/helm.ts builds it`)
  return undefined
}
