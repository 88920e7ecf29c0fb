import { StackmasonError } from '../../model/diagnostic.ts'
import { explain, type Explanation } from '../../pipeline/commands/explain.ts'
import { redactLine } from '../../report/redact-line.ts'
import { fleetOptions } from '../arguments/fleet-options.ts'
import { type ParsedArguments, valueOf } from '../arguments/parse-arguments.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { type CommandContext, defineCommand, type RunCommand } from '../command.ts'
import { explainReport } from './json.ts'
import { explainText } from './text.ts'

/** `stackmason explain`. */
export const explainCommand: RunCommand = defineCommand({ run, text: explainText, json: explainReport })

/** @throws StackmasonError USAGE; whatever rendering raises */
async function run(parsed: ParsedArguments, { io }: CommandContext): Promise<Explanation> {
  const runtimeValues = valueOf(parsed, 'runtime-values')
  const [, file = '', line] = /^(.*?)(?::(\d{1,7}))?$/.exec(parsed.operands[0] ?? '') ?? []
  const path = resolveFolder(io.workingFolder, file)
  if ((await io.ports.files.stat(path))?.type !== 'file') {
    throw new StackmasonError({
      code: 'USAGE',
      severity: 'error',
      message: 'there is no such file to explain',
      file: path,
    })
  }
  const options = {
    ...fleetOptions(parsed, io),
    file: path,
    runtimeValues: runtimeValues === undefined ? undefined : resolveFolder(io.workingFolder, runtimeValues),
    line: line === undefined ? undefined : Number(line),
  }
  return redacted(await explain(options, io.ports))
}

/** The explanation with the lines of the file as they may be shown: a Secret's entries are masked. */
function redacted(explanation: Explanation): Explanation {
  const { source } = explanation
  const starts = [0]
  for (let at = source.text.indexOf('\n'); at !== -1; at = source.text.indexOf('\n', at + 1)) starts.push(at + 1)
  const lines = explanation.lines.map((line) => ({
    ...line,
    text: redactLine(source, starts[line.line - 1] ?? 0, line.text),
  }))
  return { ...explanation, lines }
}
