import { expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'
import { classRows } from './invalid-class-rows.ts'

test.each(classRows)('%s', async (_what, text, ...says) => {
  const found = await checkLab({ files: { [lab.class]: text } })
  const own = found.filter((line) => !line.includes(' VALUES_') && !line.startsWith('note '))
  const short = own.map((line) =>
    line.replace(/ \[[^\]]*\] → Correct the class\. If .*$/, '').replace(/ \[[^\]]*\] → /, ' → '),
  )
  const want = says.map((text_) => text_.replace(/ → Correct the class\. If .*$/, ''))
  expect(short.map((line) => line.replace(/^error CLASS_INVALID \S+:\d+:\d+ ClusterClass [^:]+: /, ''))).toEqual(want)
})
