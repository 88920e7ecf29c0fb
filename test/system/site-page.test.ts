import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBrowser, type PageView, type RunningBrowser, startBrowser } from '../../tools/servers/browser.ts'
import { buildSite } from '../../tools/site.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const phone: PageView = { width: 390, height: 844, scheme: 'dark' }
const desk: PageView = { width: 1280, height: 900, scheme: 'light' }
const schemes = ['dark', 'light'] as const

/** Text, code, pictures, wide tables, a list of records. */
const samples = [
  'index.html',
  'docs/02-fleet-repository.html',
  'docs/03-configuration.html',
  'docs/decisions/index.html',
]

describe.skipIf(!hasBrowser())('the site in a browser, read from the disk', () => {
  const folder = join(tempFolderForFile(), 'site')
  let browser: RunningBrowser

  beforeAll(async () => {
    buildSite({ folder })
    browser = await startBrowser()
  })

  afterAll(() => browser?.close())

  const views = [phone, desk].flatMap((view) => schemes.map((scheme) => ({ ...view, scheme })))

  test.each(samples)(
    '%s: axe-core finds nothing, nothing comes from elsewhere, nothing scrolls sideways',
    async (path) => {
      const page = await browser.open(join(folder, path), phone)
      expect(page.complaints).toEqual([])
      const seen: unknown[] = []
      for (const view of views) {
        await page.show(view)
        const shown = await page.evaluate(
          '[innerWidth, innerHeight, matchMedia("(prefers-color-scheme: dark)").matches]',
        )
        const sideways = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        // asks for the style once more, which a browser refuses it on the disk
        seen.push({ shown, sideways, violations: await page.violations() })
      }
      expect(seen).toEqual(
        views.map(({ width, height, scheme }) => ({
          shown: [width, height, scheme === 'dark'],
          sideways: 0,
          violations: [],
        })),
      )
      expect(page.requests.filter((url) => !url.startsWith('file:///'))).toEqual([])
      await page.close()
    },
  )

  const here = 'location.pathname.split("/site/")[1] + location.hash'
  const settled = 'new Promise((resolve) => setTimeout(resolve, 50))'
  const results = '[...document.querySelectorAll("#results a strong")].map((title) => title.innerText)'

  test.each([phone, desk])('$width px: a search finds a section, and leads there by keyboard', async (view) => {
    const page = await browser.open(join(folder, 'docs/decisions/0002-numbers.html'), view)
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.id')).toBe('search')
    await page.fill('#search', 'output_moved')
    for (let tries = 0; tries < 100 && !(await page.isVisible('#results')); tries += 1) await page.evaluate(settled)
    expect(await page.evaluate(`${results}[0]`)).toBe('Errors and warnings: OUTPUT_MOVED')
    expect(await page.violations()).toEqual([])
    await page.keyboard.press('ArrowDown')
    expect(await page.evaluate('document.activeElement.querySelector("strong").innerText')).toContain('OUTPUT_MOVED')
    await page.keyboard.press('Escape')
    expect(await page.isVisible('#results')).toBe(false)
    await page.fill('#search', 'no such words xyzzy')
    await page.evaluate(settled)
    expect(await page.innerText('#found')).toBe('Nothing found')
    await page.fill('#search', 'output_moved')
    await page.evaluate(settled)
    await page.keyboard.press('Enter')
    // waits for the page
    expect(await page.innerText('#output_moved')).toContain('OUTPUT_MOVED')
    expect(await page.evaluate(here)).toBe('docs/06-errors.html#output_moved')
    await page.close()
  })

  test('on a phone the pages are behind the menu, which needs no script', async () => {
    for (const hasScripts of [true, false]) {
      const page = await browser.open(join(folder, 'docs/15-flux.html'), { ...phone, hasScripts })
      expect(await page.isVisible('#navigation')).toBe(false)
      await page.click('.menu')
      expect(await page.isVisible('#navigation')).toBe(true)
      expect(hasScripts ? await page.violations() : []).toEqual([])
      await page.click('.close')
      expect(await page.isVisible('#navigation')).toBe(false)
      await page.click('.menu')
      await page.click('#navigation a[href="18-argocd.html"]')
      expect(await page.innerText('h1')).toBe('Argo CD')
      expect(await page.isVisible('#finder')).toBe(hasScripts)
      await page.close()
    }
  })

  test('previous and next lead through the pages, and the colours stay as they were switched', async () => {
    const page = await browser.open(join(folder, 'docs/15-flux.html'), desk)
    const colour = 'getComputedStyle(document.body).backgroundColor'
    expect(await page.evaluate(colour)).toBe('rgb(255, 255, 255)')
    await page.click('#scheme')
    expect(await page.evaluate(colour)).toBe('rgb(15, 19, 24)')
    await page.click('footer a[rel=next]')
    expect(await page.innerText('h1')).toBe('Argo CD')
    expect(await page.evaluate(colour)).toBe('rgb(15, 19, 24)')
    expect(await page.innerText('#scheme')).toBe('Light colours')
    await page.click('footer a[rel=prev]')
    expect(await page.innerText('h1')).toBe('Flux')
    // pictures follow the switch
    expect(await page.evaluate('getComputedStyle(document.querySelector("main img")).colorScheme')).toBe('dark')
    await page.close()
  })
})
