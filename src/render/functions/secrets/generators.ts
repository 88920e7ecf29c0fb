import { encodeBase64 } from '../../../codec/bytes/base64.ts'
import { createSeededRandom, type RandomSource } from '../../../generate/random-source.ts'
import { drawText, drawUuid, randomAlphabets } from '../../../generate/random-text.ts'
import { GoInt, goInt, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { holdsToken } from '../../engine/token-refused.ts'
import { bigArgument, intArgument, textArgument } from '../arguments.ts'
import { deferGeneration, reportNotDeterministic, type MakePreview } from './generate.ts'
import { runesOf } from '../../../codec/text/go-unicode.ts'
import { ours, say } from '../../engine/error-text.ts'

/** Random text of a length; none for a length of zero or less, as in sprig, which drops the error. */
function randomText([name, alphabet]: readonly [name: string, alphabet: string]): FunctionDef {
  return {
    name,
    params: ['int'],
    tokens: 'refuse',
    call(args, context) {
      const count = intArgument(args, 0)
      return defer({ name, count }, context, (random) => drawText(alphabet, count, random))
    },
  }
}

function defer(
  { name, count }: { readonly name: string; readonly count: number },
  context: CallContext,
  makePreview: MakePreview<string>,
): Value {
  if (count <= 0) return ''
  context.charge(count)
  return deferGeneration(context, { function: name, arguments: [String(count)] }, makePreview)
}

function randBytes(args: readonly Value[], context: CallContext): Value {
  const count = intArgument(args, 0)
  if (count < 0) throw new FunctionError('runtime error: makeslice: len out of range')
  return defer({ name: 'randBytes', count }, context, (random) => encodeBase64(random.bytes(count)))
}

/** The stream of a call whose result is no secret; undefined when the render defers. */
function choiceOf(context: CallContext, name: string): RandomSource | undefined {
  if (context.seed === undefined) return undefined
  return createSeededRandom(context.crypto, JSON.stringify([context.seed, name, context.identity()]))
}

function randInt(args: readonly Value[], context: CallContext): Value {
  const least = bigArgument(args, 0)
  const size = BigInt.asIntN(64, bigArgument(args, 1) - least)
  if (size <= 0n) throw new FunctionError('invalid argument to Intn')
  const random = choiceOf(context, 'randInt')
  const instead = random === undefined ? 'the smallest one' : "one that follows from the release's name"
  reportNotDeterministic(context, 'randInt', { instead: say`would give a random number; it gave ${ours(instead)}` })
  if (random === undefined) return goInt(least)
  const number = random.bytes(16).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return new GoInt(least + (number % size))
}

function shuffle(args: readonly Value[], context: CallContext): Value {
  const text = textArgument(args, 0)
  const random = holdsToken(text) ? undefined : choiceOf(context, 'shuffle')
  if (random === undefined) {
    reportNotDeterministic(context, 'shuffle', {
      instead: say`would reorder its text at random; it left the text as it is`,
    })
    return text
  }
  const message = say`would reorder its text at random; its order follows from the release's name`
  reportNotDeterministic(context, 'shuffle', { instead: message })
  const runes = [...runesOf(text)]
  for (let index = runes.length - 1; index > 0; index--) {
    const other = random.below(index + 1)
    const moved = runes[index] ?? ''
    runes[index] = runes[other] ?? ''
    runes[other] = moved
  }
  return runes.join('')
}

/**
 * sprig's sources of random text, which make none: each returns what stands for text that is generated later, or a
 * preview. `randInt` and `shuffle`, which no one uses for secrets, answer with a fixed choice and a finding.
 */
export const generatorFunctions: readonly FunctionDef[] = [
  ...[...randomAlphabets].map(randomText),
  { name: 'randBytes', params: ['int'], tokens: 'refuse', call: randBytes },
  { name: 'randInt', params: ['int', 'int'], tokens: 'refuse', call: randInt },
  {
    name: 'uuidv4',
    params: [],
    tokens: 'refuse',
    call: (_, context) => deferGeneration(context, { function: 'uuidv4', arguments: [] }, drawUuid),
  },
  { name: 'shuffle', params: ['string'], tokens: 'pass', call: shuffle },
]
