import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/**
 * Makes sure that the process may open `count` more files: Node dies, or throws where nobody can catch it, when it
 * starts a program or a watch without them.
 * @throws the system's error, EMFILE or ENFILE
 */
export function ensureDescriptors(count: number): void {
  const opened: number[] = []
  try {
    while (opened.length < count) opened.push(openSync(devNull, 'r'))
  } finally {
    opened.forEach((descriptor) => {
      closeSync(descriptor)
    })
  }
}
