import { shellWord } from '../codec/text/shell-word.ts'

/** The verbs that take `--fleet`. */
export const verbsOfFleets: readonly string[] = [
  'render',
  'diff',
  'check',
  'report',
  'publish',
  'update',
  'fetch',
  'list',
  'cache',
  'build',
  'images',
  'containers',
  'variables',
  'explain',
  'adopt',
  'status',
  'new',
]

const COMMAND = new RegExp(String.raw`\`stackmason (?:${verbsOfFleets.join('|')})(?= |\`)[^\`]*`, 'g')

/**
 * Adds to the commands in a text the fleet that the user has named with `--fleet`, so that they run as they are from
 * where the user is.
 */
export function nameFleet(text: string, fleet: string): string {
  return text.replaceAll(COMMAND, (command) => addFleet(command, fleet))
}

/** The same for one command of a verb that takes `--fleet`. */
export function addFleet(command: string, fleet: string): string {
  if (/ --fleet[ =]/.test(command)) return command
  // behind that comes another command, or a file
  const end = /(?: [|>&].*)?$/.exec(command)?.index ?? command.length
  return `${command.slice(0, end)} --fleet ${shellWord(fleet)}${command.slice(end)}`
}
