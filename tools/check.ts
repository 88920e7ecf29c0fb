/**
 * Runs the checks that need no test, all at once: `npm run check` begins with them. Prettier takes as long on one core
 * as the others do on all. What each prints comes when it has ended; the exit status is 1 if one failed.
 */
import { exec } from 'node:child_process'

const scripts = ['format:check', 'lint', 'typecheck', 'deadcode'] as const

const failed = await Promise.all(
  scripts.map(
    (script) =>
      new Promise<readonly string[]>((resolve) => {
        exec(`npm run ${script}`, { maxBuffer: 1e8 }, (error, stdout, stderr) => {
          process.stdout.write(stdout + stderr)
          resolve(error === null ? [] : [script])
        })
      }),
  ),
)
for (const script of failed.flat()) process.stdout.write(`FAILED npm run ${script}\n`)
process.exitCode = failed.flat().length > 0 ? 1 : 0
