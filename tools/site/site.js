// The site without a server: pages are read from the disk, too, where a browser loads no modules and fetches nothing. So the texts
// of the search are a script, which is loaded when somebody begins to search.
const root = document.documentElement.dataset.root
const finder = document.getElementById('finder')
const input = document.getElementById('search')
const results = document.getElementById('results')
const found = document.getElementById('found')
const list = results.querySelector('ol')
const limit = 30

finder.hidden = false
finder.addEventListener('submit', (event) => {
  event.preventDefault()
  list.querySelector('a')?.click()
})

let loading
function load() {
  loading ??= new Promise((resolve) => {
    const script = document.createElement('script')
    script.src = `${root}search.js`
    script.addEventListener('load', () => resolve(window.searchIndex))
    document.head.append(script)
  })
  return loading
}

function score(section, words) {
  let sum = 0
  for (const word of words) {
    const inHeading = section.heading.toLowerCase().indexOf(word)
    if (inHeading >= 0) sum += section.heading.length === word.length ? 60 : inHeading === 0 ? 30 : 20
    else if (section.title.toLowerCase().includes(word)) sum += 8
    else if (section.lower.includes(word)) sum += 2
    else return 0
  }
  return section.depth === 1 ? sum + 3 : sum
}

/** Appends text with the words marked. */
function mark(element, text, words) {
  const lower = text.toLowerCase()
  let at = 0
  while (at < text.length) {
    const hits = words.map((word) => ({ word, start: lower.indexOf(word, at) })).filter(({ start }) => start >= 0)
    const first = hits.sort((a, b) => a.start - b.start || b.word.length - a.word.length)[0]
    if (first === undefined) break
    element.append(text.slice(at, first.start))
    const marked = document.createElement('mark')
    marked.textContent = text.slice(first.start, first.start + first.word.length)
    element.append(marked)
    at = first.start + first.word.length
  }
  element.append(text.slice(at))
}

function excerpt({ text, lower }, words) {
  const starts = words.map((word) => lower.indexOf(word)).filter((start) => start >= 0)
  const from = Math.max(0, Math.min(...starts, text.length) - 50)
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1
  return `${start > 0 ? '... ' : ''}${text.slice(start, start + 150)}${start + 150 < text.length ? ' ...' : ''}`
}

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) {
    results.hidden = true
    return
  }
  const index = await load()
  const hits = index
    .map((section) => ({ section, points: score(section, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
  list.replaceChildren(
    ...hits.slice(0, limit).map(({ section }) => {
      const link = document.createElement('a')
      link.href = `${root}${section.page}${section.anchor === '' ? '' : `#${section.anchor}`}`
      const title = document.createElement('strong')
      mark(title, section.depth === 1 ? section.title : `${section.title}: ${section.heading}`, words)
      const text = document.createElement('span')
      mark(text, excerpt(section, words), words)
      link.append(title, text)
      link.addEventListener('click', close)
      const item = document.createElement('li')
      item.append(link)
      return item
    }),
  )
  const shown = hits.length > limit ? `, the best ${limit} shown` : ''
  found.textContent = hits.length === 0 ? 'Nothing found' : `${hits.length} found${shown}`
  results.hidden = false
}

function close() {
  results.hidden = true
}

input.addEventListener('focus', () => void load())
input.addEventListener('input', () => void search())
document.addEventListener('click', (event) => {
  if (!finder.contains(event.target)) close()
})
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    input.focus()
  } else if (event.key === 'Escape' && finder.contains(event.target)) {
    close()
    input.focus()
  } else if (
    (event.key === 'ArrowDown' || event.key === 'ArrowUp') &&
    finder.contains(event.target) &&
    !results.hidden
  ) {
    const stops = [input, ...list.querySelectorAll('a')]
    const next = stops[stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)]
    event.preventDefault()
    next?.focus()
  }
})

const scheme = document.getElementById('scheme')
const html = document.documentElement
const isDark = () =>
  (html.dataset.scheme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'
const nameScheme = () => {
  scheme.textContent = isDark() ? 'Light colours' : 'Dark colours'
}
scheme.hidden = false
nameScheme()
scheme.addEventListener('click', () => {
  html.dataset.scheme = isDark() ? 'light' : 'dark'
  try {
    localStorage.setItem('scheme', html.dataset.scheme)
  } catch {
    scheme.title = 'This browser does not keep it'
  }
  nameScheme()
})

if (navigator.clipboard !== undefined) {
  for (const code of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(code.querySelector('code').textContent).then(() => {
        button.textContent = 'Copied'
        setTimeout(() => {
          button.textContent = 'Copy'
        }, 1500)
      })
    })
    code.append(button)
  }
}
document.querySelector('#navigation [aria-current]')?.scrollIntoView({ block: 'nearest' })
