import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { withSharedShapes } from '../../tools/shared-shapes.ts'

const known = 'const a = { x: 1, y: 2 }, b = { y: 3, z: 4 }, f = (value) => value;'

describe('literals that begin with a spread', () => {
  it.each([
    ['a property after it', '({...a,w:5})', '({...null,...a,w:5})'],
    ['one that it has, too', '({...a,y:5})', '({...null,...a,y:5})'],
    ['a spread after it', '({...a,...b})', '({...null,...a,...b})'],
    ['one that is not always there', '({...a,...(false&&{w:5})})', '({...null,...a,...(false&&{w:5})})'],
    [
      'literals in literals',
      '({...a,w:{...b,v:{...a,u:1}}})',
      '({...null,...a,w:{...null,...b,v:{...null,...a,u:1}}})',
    ],
    ['literals in what is spread', '({...f({...a,w:5}),v:6})', '({...null,...f({...null,...a,w:5}),v:6})'],
    ['an accessor after it', '({...a,get w(){return 5}})', '({...null,...a,get w(){return 5}})'],
  ])('%s', (_, before, after) => {
    expect(withSharedShapes(known + before)).toBe(known + after)
    expect(Object.entries(evaluated(known + after))).toEqual(Object.entries(evaluated(known + before)))
  })

  it.each([
    ['a copy', '({...a})'],
    ['what begins with nothing', '({...null,...a,w:5})'],
    ['a spread that comes later', '({w:5,...a})'],
    ['a list', '[...[1],2]'],
    ['the arguments of a call', 'f(...[1],2)'],
    ['a pattern', '(()=>{const{x,...rest}=a;return rest})()'],
    ['a text', "({w:'{...a,w:5}'})"],
    ['a template', '({w:`{...a,w:5}`})'],
    ['a regular expression', '({w:String(/{...a,w:5}/)})'],
  ])('%s stays', (_, text) => {
    expect(withSharedShapes(known + text)).toBe(known + text)
    expect(() => evaluated(known + text)).not.toThrow()
  })

  it('a name that means more in other ways of copying stays a name', () => {
    const text = 'const c = JSON.parse(\'{"__proto__": {"w": 1}}\');({...c,v:2})'
    expect(Object.keys(evaluated(withSharedShapes(text)))).toEqual(['__proto__', 'v'])
  })

  it('what cannot be parsed is refused', () => {
    expect(() => withSharedShapes('({...')).toThrow(/^cannot be parsed: /)
  })
})

function evaluated(text: string): object {
  return Object(runInNewContext(text)) as object
}
