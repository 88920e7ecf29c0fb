import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bumpCni, manyClusters } from '../../tools/fleets/many-clusters.ts'
import { hasBrowser, type PageView, type RunningBrowser, startBrowser } from '../../tools/servers/browser.ts'
import { runCli } from '../cli/run-cli.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const phone: PageView = { width: 390, height: 844, scheme: 'dark' }
const desk: PageView = { width: 1280, height: 900, scheme: 'light' }
const schemes = ['dark', 'light'] as const

/** As a value, and as the name of one. */
const hostile = "</script><img src=x.png onerror=document.title='run'>"

describe.skipIf(!hasBrowser())('a report in a browser', () => {
  const folder = tempFolderForFile()
  const pages = ['diff', 'check', 'report'].map((name) => ({ name, file: join(folder, `${name}.html`) }))
  const diff = join(folder, 'diff.html')
  let browser: RunningBrowser

  beforeAll(async () => {
    const fleet = await manyClusters(join(folder, 'fleet'), 40)
    await fleet.render()
    fleet.commit()
    bumpCni(fleet)
    const skipping = 'clusters/team-b/c39/cluster.yaml'
    const annotated = `metadata: {annotations: {note: "${hostile}"}, `
    fleet.write(
      skipping,
      readFileSync(fleet.path(skipping), 'utf8').replace('metadata: {', () => annotated),
    )
    await fleet.render()
    await runCli(['diff', '-o', `html=${diff}`], { cwd: fleet.folder })
    const first = 'clusters/team-a/c01/cluster.yaml'
    const odd = `topology:\n    variables: [{name: "${hostile}", value: 1}]`
    fleet.write(
      first,
      readFileSync(fleet.path(first), 'utf8').replace('topology:', () => odd),
    )
    await runCli(['check', '-o', `html=${join(folder, 'check.html')}`], { cwd: fleet.folder })
    await runCli(['report', '-o', `html=${join(folder, 'report.html')}`], { cwd: fleet.folder })
    browser = await startBrowser()
  })

  afterAll(() => browser?.close())

  test('an address leads to its part, also to one that a search hides', async () => {
    const page = await browser.open(join(folder, 'report.html'), desk)
    const top = "Math.round(document.getElementById('clusters').getBoundingClientRect().top)"
    await page.fill('#search', 'nothing of this name')
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(await page.isVisible('#clusters')).toBe(false)
    await page.click('a[href="#clusters"]')
    await page.evaluate('new Promise((done) => setTimeout(done, 50))')
    expect(await page.isVisible('#clusters')).toBe(true)
    // below the tools, which stay
    expect(await page.evaluate(`${top} > 0 && ${top} < 200`)).toBe(true)
    await page.close()
  })

  const sideways = 'document.documentElement.scrollWidth - innerWidth'

  const views = [phone, desk].flatMap((view) => schemes.map((scheme) => ({ ...view, scheme })))

  test.each(pages)(
    '$name: axe-core finds nothing, nothing is loaded or runs that should not, nothing scrolls sideways',
    async ({ file }) => {
      const page = await browser.open(file, phone)
      const seen: unknown[] = []
      for (const view of views) {
        await page.show(view)
        const shown = await page.evaluate(
          '[innerWidth, innerHeight, matchMedia("(prefers-color-scheme: dark)").matches]',
        )
        await page.click('#unfold')
        const unfolded = await page.violations()
        // what nobody has opened is looked at, too
        await page.click('#unfold')
        seen.push({ shown, unfolded, folded: await page.violations(), sideways: await page.evaluate(sideways) })
      }
      expect(seen).toEqual(
        views.map(({ width, height, scheme }) => ({
          shown: [width, height, scheme === 'dark'],
          unfolded: [],
          folded: [],
          sideways: 0,
        })),
      )
      expect(page.requests).toHaveLength(1)
      expect(page.complaints).toEqual([])
      expect(await page.evaluate('document.querySelector("main").textContent.includes("onerror=")')).toBe(true)
      expect(await page.evaluate('document.querySelector("main :is(img, script)")')).toBe(null)
      await page.close()
    },
  )

  test('the first screen of a difference has what is dangerous', async () => {
    const page = await browser.open(diff, desk)
    const seen = String(
      await page.evaluate(
        '[...document.querySelectorAll(".facts li")].filter((row) => row.getBoundingClientRect().bottom <= innerHeight).map((row) => row.innerText.replace(/\\s+/g, " ")).join("\\n")',
      ),
    )
    expect(seen.split('\n')).toEqual([
      'deletes Cluster team-b/c40 and 4 more objects, without a decommission; a revert makes an empty cluster',
      'skips a minor team-b/c39: Kubernetes v1.32.5 -> v1.34.1',
      'rolls nodes docker-small 1.32 v1 -> 1.34 v1 (Kubernetes v1.32.5 -> v1.34.1) on team-b/c39; a revert does not lower the version',
      'restarts pods addon cni: 2 objects on 38 clusters: team-a/{c01,c02,c03,…}, team-b/{c21,c22,c23,…}',
      'team-c/new like team-a/c01, except workers.machineDeployments[name=md-0].replicas: 3 -> 5',
      'Kubernetes v1.32.5 -> v1.34.1 on team-b/c39',
      'addon cni v1.17.4 -> v1.18.1 on the same 38 clusters',
      '2 images quay.io/cilium/cilium, quay.io/cilium/operator-generic v1.17.4 -> v1.18.1 on the same 38 clusters',
    ])
    await page.close()
  })

  test('can be searched, filtered by cluster, and switched to the other colours', async () => {
    const page = await browser.open(diff, desk)
    const entries = 'document.querySelectorAll("[data-entry]:not([hidden])").length'
    const all = await page.evaluate(entries)
    await page.fill('#search', 'CILIUM-operator generic')
    await page.evaluate('new Promise(requestAnimationFrame)')
    expect(await page.innerText('#found')).toBe(`1 of ${String(all)} entries`)
    expect(await page.isVisible('text=cilium-config')).toBe(true)
    await page.fill('#search', '')
    await page.selectOption('#cluster', { label: 'team-b/c39' })
    expect(await page.innerText('#found')).toBe(`1 of ${String(all)} entries`)
    expect(await page.isVisible('text=cilium-config')).toBe(false)
    const colour = 'getComputedStyle(document.body).backgroundColor'
    expect(await page.evaluate(colour)).toBe('rgb(245, 246, 248)')
    await page.click('#scheme')
    expect(await page.evaluate(colour)).toBe('rgb(15, 19, 24)')
    expect(await page.innerText('#scheme')).toBe('Light colours')
    await page.close()
  })

  test('is read without scripts, and by keyboard', async () => {
    const still = await browser.open(diff, { ...phone, hasScripts: false })
    expect(await still.isVisible('#tools')).toBe(false)
    expect(await still.isVisible('text=without a decommission')).toBe(true)
    await still.close()
    const page = await browser.open(diff, phone)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Skip to the content')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('content')
    await page.keyboard.press('Tab')
    const summary = 'document.activeElement.localName + " " + document.activeElement.parentElement.open'
    const before = String(await page.evaluate(summary))
    await page.keyboard.press('Enter')
    expect([before, await page.evaluate(summary)]).toEqual(['summary true', 'summary false'])
    await page.close()
  })

  describe('a fault is seen:', () => {
    test.each([
      { rule: 'label', fault: 'document.querySelector("label[for=search]").remove()' },
      { rule: 'color-contrast', fault: 'document.documentElement.style.setProperty("--faint", "#b4b9c0")' },
      { rule: 'page-has-heading-one', fault: 'document.querySelector("h1").remove()' },
      { rule: 'summary-name', fault: 'document.querySelector("summary").replaceChildren()' },
    ])('$rule', async ({ rule, fault }) => {
      const page = await browser.open(diff, desk)
      await page.evaluate(fault)
      expect((await page.violations()).map((found) => found.split(':')[0])).toContain(rule)
      await page.close()
    })

    test('a line that does not fit', async () => {
      const page = await browser.open(diff, phone)
      await page.evaluate('document.querySelector("h1").style.whiteSpace = "nowrap"')
      await page.evaluate('document.querySelector("h1").append("x".repeat(100))')
      expect(await page.evaluate(sideways)).toBeGreaterThan(0)
      await page.close()
    })

    const script = "<img src=x.png onerror=document.title='run'><script>document.title = 'run'</script>"

    test('a script that got in does not run, and would without the policy', async () => {
      const text = readFileSync(diff, 'utf8').replace('<main', () => `${script}<main`)
      const file = join(folder, 'script.html')
      writeFileSync(file, text)
      const page = await browser.open(file, desk)
      expect(await page.evaluate('document.title')).toBe('stackmason diff: HEAD -> files on disk')
      expect(page.complaints.filter((line) => line.includes('Content Security Policy'))).toHaveLength(3)
      await page.close()
      writeFileSync(file, text.replace('http-equiv="Content-Security-Policy"', 'name="nothing"'))
      const unguarded = await browser.open(file, desk)
      expect(await unguarded.evaluate('document.title')).toBe('run')
      expect(unguarded.requests).toHaveLength(2)
      await unguarded.close()
    })
  })
})
