/**
 * Runs the program with the words of the command line after opening files until only as many descriptors as the first
 * word says are left. What would be loaded later is loaded before: in the packed program it is in one file.
 */
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import 'simple-git'
import '../../src/cli/render-command/command.ts'
import { startProgram } from '../../src/program.ts'

const left = Number(process.argv.splice(2, 1)[0])
const opened: number[] = []
try {
  for (;;) opened.push(openSync(devNull, 'r'))
} catch {
  for (const descriptor of opened.slice(0, left)) closeSync(descriptor)
}
startProgram()
