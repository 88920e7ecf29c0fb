import type { Chart } from '../../model/chart.ts'
import type { PathStep } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import type { ChartObjects } from './chart-objects.ts'
import { differingWords } from './parameter-values.ts'
import type { ParametricChart, PlainRender } from './parametric-chart.ts'
import { Recent } from './recent.ts'

/** A render that was made, and where others differ from it. */
export interface Lesson {
  readonly plain: PlainRender
  readonly paths: readonly (readonly PathStep[])[]
}

/** Renders of one chart that differ in nothing but values. */
export interface SiblingRuns {
  /**
   * The objects for the values by what was learned from other renders; `learn` turns one lesson into a chart, if it
   * can.
   */
  readonly fill: (values: Dict, learn: (lesson: Lesson) => ParametricChart | undefined) => ChartObjects | undefined
  /** Remembers a render, and returns it. */
  readonly add: (plain: PlainRender) => PlainRender
}

/** Groups of a chart that are remembered. */
const GROUPS = 16
/** Renders that others are compared with. */
const SIBLINGS = 4
const FORMS = 8
/** Lessons in vain, after which a chart is taken for one that decides on its values. */
const MAX_FAILURES = 3

/** Makes a memory of renders by chart, and by what they have in common. */
export function createSiblings(): (chart: Chart, group: string) => SiblingRuns {
  const known = new WeakMap<Chart, Recent<SiblingRuns>>()
  return (chart, group) => {
    const ofChart = known.get(chart) ?? new Recent<SiblingRuns>(GROUPS)
    known.set(chart, ofChart)
    const before = ofChart.get(group)
    if (before !== undefined) return before
    const runs = createSiblingRuns()
    ofChart.set(group, runs)
    return runs
  }
}

function createSiblingRuns(): SiblingRuns {
  const siblings: PlainRender[] = []
  const forms: ParametricChart[] = []
  const failed = new Set<string>()

  function byForm(values: Dict): ChartObjects | undefined {
    for (const [index, form] of forms.entries()) {
      const objects = form.fill(values)
      if (objects === undefined) continue
      forms.splice(index, 1)
      forms.unshift(form)
      return objects
    }
    return undefined
  }

  /** The one that differs least. */
  function nearest(values: Dict): Lesson | undefined {
    const lessons = siblings.flatMap((plain): readonly Lesson[] => {
      const paths = differingWords(plain.values, values)
      return paths === undefined || paths.length === 0 ? [] : [{ plain, paths }]
    })
    return lessons.toSorted((a, b) => a.paths.length - b.paths.length)[0]
  }

  return {
    fill(values, learn) {
      const objects = byForm(values)
      if (objects !== undefined || failed.size >= MAX_FAILURES) return objects
      const lesson = nearest(values)
      const place = JSON.stringify(lesson?.paths)
      if (lesson === undefined || failed.has(place)) return undefined
      const form = learn(lesson)
      const made = form?.fill(values)
      if (form === undefined || made === undefined) failed.add(place)
      if (form === undefined) return undefined
      forms.unshift(form)
      forms.length = Math.min(forms.length, FORMS)
      return made
    },
    add(plain) {
      siblings.unshift(plain)
      siblings.length = Math.min(siblings.length, SIBLINGS)
      return plain
    },
  }
}
