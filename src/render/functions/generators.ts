import { goInt, type Value } from '../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../engine/function.ts'
import { bigArgument, intArgument, textArgument } from './arguments.ts'
import { deferGeneration, reportNotDeterministic } from './generate.ts'

/** Random text of a length; none for a length of zero or less, as in sprig, which drops the error. */
function randomText(name: string): FunctionDef {
  return {
    name,
    params: ['int'],
    tokens: 'refuse',
    call: (args, context) => defer(name, intArgument(args, 0), context),
  }
}

function defer(name: string, count: number, context: CallContext): Value {
  if (count <= 0) return ''
  context.charge(count)
  return deferGeneration(context, { function: name, arguments: [String(count)] })
}

function randBytes(args: readonly Value[], context: CallContext): Value {
  const count = intArgument(args, 0)
  if (count < 0) throw new FunctionError('runtime error: makeslice: len out of range')
  return defer('randBytes', count, context)
}

function randInt(args: readonly Value[], context: CallContext): Value {
  const least = bigArgument(args, 0)
  if (BigInt.asIntN(64, bigArgument(args, 1) - least) <= 0n) throw new FunctionError('invalid argument to Intn')
  reportNotDeterministic(context, 'randInt', 'would give a random number; it gave the smallest one')
  return goInt(least)
}

function shuffle(args: readonly Value[], context: CallContext): Value {
  const text = textArgument(args, 0)
  reportNotDeterministic(context, 'shuffle', 'would reorder its text at random; it left the text as it is')
  return text
}

/**
 * sprig's sources of random text, which make none: each returns what stands for text that is generated later. `randInt` and
 * `shuffle`, which no one uses for secrets, answer with a fixed choice and a finding.
 */
export const generatorFunctions: readonly FunctionDef[] = [
  randomText('randAlphaNum'),
  randomText('randAlpha'),
  randomText('randAscii'),
  randomText('randNumeric'),
  { name: 'randBytes', params: ['int'], tokens: 'refuse', call: randBytes },
  { name: 'randInt', params: ['int', 'int'], tokens: 'refuse', call: randInt },
  {
    name: 'uuidv4',
    params: [],
    tokens: 'refuse',
    call: (_, context) => deferGeneration(context, { function: 'uuidv4', arguments: [] }),
  },
  { name: 'shuffle', params: ['string'], tokens: 'pass', call: shuffle },
]
