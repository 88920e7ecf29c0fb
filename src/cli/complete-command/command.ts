import { type NameRequest, offerNames } from '../../pipeline/commands/offer-names.ts'
import { fleetWord } from '../arguments/fleet-options.ts'
import type { ParsedArguments } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, type CommandResult, defineCommand, type RunCommand } from '../command.ts'

interface OfferedNames extends CommandResult {
  readonly names: readonly string[]
}

/** `stackmason __complete`. */
export const completeCommand: RunCommand = defineCommand({
  run,
  text: ({ names }) => names.map((name) => `${name}\n`).join(''),
})

async function run({ operands: [kind, ...typed] }: ParsedArguments, { io }: CommandContext): Promise<OfferedNames> {
  const words = joinAssignments(typed)
  const last = words.at(-1) ?? ''
  const request = {
    kind: kindOf(kind),
    start: resolveFolder(io.workingFolder, fleetWord(words.slice(0, -1)) ?? '.'),
    typed: /^--[\w-]+=(.*)$/s.exec(last)?.[1] ?? last,
  }
  return { names: await offerNames(request, io.ports), findings: [] }
}

function kindOf(word: string | undefined): NameRequest['kind'] {
  return word === 'stacks' || word === 'releases' || word === 'classes' || word === 'sources' ? word : 'clusters'
}

/** bash makes three words of `--fleet=path`. */
function joinAssignments(typed: readonly string[]): readonly string[] {
  const words: string[] = []
  for (const word of typed) {
    const before = words.at(-1) ?? ''
    if (word === '=' ? /^--[\w-]+$/.test(before) : /^--[\w-]+=$/.test(before)) words.splice(-1, 1, before + word)
    else words.push(word)
  }
  return words
}
