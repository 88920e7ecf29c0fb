import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { browserBinary } from '../browser.ts'

/** A page that is open, as far as tests use it. */
interface DrivenPage {
  readonly goto: (url: string) => Promise<unknown>
  readonly on: (event: string, listener: (event: BrowserEvent) => void) => void
  readonly evaluate: (expression: string) => Promise<unknown>
  readonly fill: (selector: string, text: string) => Promise<void>
  readonly click: (selector: string) => Promise<void>
  readonly selectOption: (selector: string, option: { readonly label: string }) => Promise<unknown>
  readonly innerText: (selector: string) => Promise<string>
  readonly isVisible: (selector: string) => Promise<boolean>
  readonly keyboard: { readonly press: (key: string) => Promise<void> }
  readonly setViewportSize: (size: { readonly width: number; readonly height: number }) => Promise<void>
  readonly emulateMedia: (media: { readonly colorScheme: 'light' | 'dark' }) => Promise<void>
  readonly close: () => Promise<void>
}

/** What happens on a page: a line of its console, a request, an error that nobody caught. */
interface BrowserEvent {
  readonly message?: string
  readonly text?: () => string
  readonly url?: () => string
}

interface Driver {
  readonly chromium: {
    readonly launch: (options: object) => Promise<{
      readonly newPage: (options: object) => Promise<DrivenPage>
      readonly close: () => Promise<void>
    }>
  }
}

/** How a page is shown. */
export interface PageView {
  readonly width: number
  readonly height: number
  readonly scheme: 'light' | 'dark'
  /** False: no script runs. Default: true. */
  readonly hasScripts?: boolean
}

/** A page that is open. */
export interface OpenPage extends Pick<
  DrivenPage,
  'click' | 'close' | 'evaluate' | 'fill' | 'innerText' | 'isVisible' | 'keyboard' | 'selectOption'
> {
  /** What the console said, and errors. */
  readonly complaints: readonly string[]
  /** What it asked for, itself first. */
  readonly requests: readonly string[]
  /** Shows it in another way, without loading it again. */
  readonly show: (view: Omit<PageView, 'hasScripts'>) => Promise<void>
  /** What axe-core finds: rule, and the elements. */
  readonly violations: () => Promise<readonly string[]>
}

/** A browser that runs. */
export interface RunningBrowser {
  readonly open: (file: string, view: PageView) => Promise<OpenPage>
  readonly close: () => Promise<void>
}

const require = createRequire(import.meta.url)

/**
 * True if there is a browser. Tests skip themselves without one, saying so once; in CI they must not.
 * @throws Error in CI when it is missing
 */
export function hasBrowser(): boolean {
  if (browserBinary() !== undefined) return true
  const message = 'no chromium: tests of pages in a browser'
  if (process.env['CI'] !== undefined) throw new Error(`${message} cannot run; npx tsx tools/browser.ts installs it`)
  console.warn(`SKIPPED, ${message}; npx tsx tools/browser.ts installs it`)
  return false
}

/** Starts chromium without a window. */
export async function startBrowser(): Promise<RunningBrowser> {
  // its own types need those of a browser, which nothing here may use
  const { chromium }: Driver = require('playwright-core')
  const browser = await chromium.launch({ executablePath: browserBinary() })
  const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
  return {
    open: async (file, { width, height, scheme, hasScripts = true }) => {
      const page = await browser.newPage({
        viewport: { width, height },
        colorScheme: scheme,
        javaScriptEnabled: hasScripts,
      })
      const complaints: string[] = []
      const requests: string[] = []
      page.on('console', (event) => complaints.push(event.text?.() ?? ''))
      page.on('pageerror', (event) => complaints.push(event.message ?? ''))
      page.on('request', (event) => requests.push(event.url?.() ?? ''))
      await page.goto(pathToFileURL(file).href)
      const violations = async (): Promise<readonly string[]> => {
        if ((await page.evaluate('typeof axe')) !== 'object') await page.evaluate(axe)
        const found: unknown = await page.evaluate(
          'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))',
        )
        return Array.isArray(found) ? found.map(String) : [`axe-core gave ${String(found)}`]
      }
      const show: OpenPage['show'] = async (view) => {
        await page.setViewportSize({ width: view.width, height: view.height })
        await page.emulateMedia({ colorScheme: view.scheme })
      }
      return Object.assign(page, { complaints, requests, show, violations })
    },
    close: () => browser.close(),
  }
}
