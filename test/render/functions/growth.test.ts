import { describe } from 'vitest'
import { formatTime } from '../../../src/render/functions/go/go-time-layout.ts'
import { parseTime } from '../../../src/render/functions/go/go-time-parse.ts'
import { testGrowth } from '../../support/growth.ts'

const epoch = { seconds: 0n, nanos: 0, zone: { name: '', offset: 0 } }

const elements = [
  ['Jan', 'January', 'Mon', 'Monday', 'MST', 'PM', 'pm'],
  ['1', '01', '2', '_2', '02', '__2', '002', '06', '2006', '15', '3', '03', '4', '04', '5', '05', '05.000', '05.999'],
  ['-07', '-0700', '-07:00', '-070000', '-07:00:00', 'Z07', 'Z0700', 'Z07:00', 'Z070000', 'Z07:00:00'],
].flat()

describe('layouts and dates of twice the size are read in twice the steps:', () => {
  testGrowth(
    [
      ...elements.map((element) => ({
        what: element,
        make: (count: number) => ({
          layout: `${element} `.repeat(count),
          value: `${formatTime(epoch, element)} `.repeat(count),
        }),
      })),
      { what: 'digits', make: (count) => ({ layout: '2006', value: '1'.repeat(count) }) },
      { what: 'years', make: (count) => ({ layout: '2006'.repeat(count), value: '1999'.repeat(count) }) },
      { what: 'points', make: (count) => ({ layout: '.'.repeat(count), value: '.'.repeat(count) }) },
      {
        what: 'a fraction',
        make: (count) => ({ layout: `05.${'0'.repeat(count)}`, value: `05.${'0'.repeat(count)}` }),
      },
      { what: 'spaces', make: (count) => ({ layout: ' '.repeat(count), value: ' '.repeat(count) }) },
      { what: 'letters', make: (count) => ({ layout: 'x'.repeat(count), value: 'x'.repeat(count) }) },
    ],
    ({ layout, value }) => {
      formatTime(epoch, layout)
      parseTime(layout, value)
    },
  )
})
