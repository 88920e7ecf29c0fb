import type { SecretWatch } from '../pipeline/watch-secrets.ts'
import type { CliIo, TextOutput } from './cli-io.ts'
import { withoutHidden } from '../report/printable.ts'

/**
 * The same outside, with ports that note what is read, and streams that show none of it that is secret and no character
 * that hides others. Everything that the program says goes through here: findings, reports, progress, logs of others.
 */
export function guardOutput(io: CliIo, watch: SecretWatch): CliIo {
  const guard = (output: TextOutput): TextOutput => ({
    ...output,
    write: (text) => {
      output.write(withoutHidden(watch.mask(text)))
    },
  })
  return {
    ...io,
    stdout: guard(io.stdout),
    stderr: guard(io.stderr),
    readStdin: async () => {
      const bytes = await io.readStdin()
      watch.note(bytes)
      return bytes
    },
    ports: watch.ports,
  }
}
