/** Colours by name; every pair that meets has a contrast of 4.5 or more. */
interface Scheme {
  readonly page: string
  readonly card: string
  readonly sunken: string
  readonly line: string
  readonly control: string
  readonly text: string
  readonly faint: string
  readonly link: string
  readonly danger: string
  readonly onDanger: string
  readonly dangerText: string
  readonly warning: string
  readonly warningText: string
  readonly notice: string
  readonly noticeText: string
  readonly good: string
  readonly goodText: string
  readonly plain: string
}

const light: Scheme = {
  page: '#f5f6f8',
  card: '#ffffff',
  sunken: '#eef0f3',
  line: '#d5d9e0',
  control: '#7a8494',
  text: '#1a2029',
  faint: '#545e6c',
  link: '#0b5cad',
  danger: '#b4232c',
  onDanger: '#ffffff',
  dangerText: '#a11b24',
  warning: '#fbe3c6',
  warningText: '#7a3d00',
  notice: '#f6efc4',
  noticeText: '#5f5000',
  good: '#d3efdb',
  goodText: '#13552b',
  plain: '#e4e8ee',
}

const dark: Scheme = {
  page: '#0f1318',
  card: '#171c23',
  sunken: '#1f262f',
  line: '#313a46',
  control: '#77839a',
  text: '#e6e9ee',
  faint: '#a5afbd',
  link: '#7db7ff',
  danger: '#f2777e',
  onDanger: '#220305',
  dangerText: '#ff9aa0',
  warning: '#4a2f10',
  warningText: '#ffc98a',
  notice: '#3c3610',
  noticeText: '#efdf86',
  good: '#123a22',
  goodText: '#93e0ac',
  plain: '#2a323d',
}

function variables(scheme: Scheme): string {
  return Object.entries(scheme)
    .map(([name, colour]) => `--${name.toLowerCase()}:${String(colour)};`)
    .join('')
}

/**
 * How the report looks. The scheme is that of the system, unless the reader switches. Nothing scrolls sideways but
 * tables, each in a frame of its own.
 */
export const style: string = `
:root{color-scheme:light;${variables(light)}}
@media (prefers-color-scheme:dark){:root:not([data-scheme=light]){color-scheme:dark;${variables(dark)}}}
:root[data-scheme=dark]{color-scheme:dark;${variables(dark)}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
a{color:var(--link)}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code,pre,bdi{unicode-bidi:isolate}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:4px}
[hidden]{display:none!important}
.skip{position:absolute;left:.5rem;top:-4rem;background:var(--card);padding:.5rem 1rem;z-index:3}
.skip:focus{top:.5rem}
header,main,footer{max-width:84rem;margin:0 auto;padding:0 1rem}
header{padding-top:1rem}
.brand{margin:0;color:var(--faint);font-size:.875rem}
h1{font-size:1.375rem;line-height:1.3;margin:.125rem 0;overflow-wrap:anywhere}
h1 .arrow{color:var(--faint);font-weight:400}
.sum{margin:.125rem 0 .75rem}
h2{font-size:1.125rem;line-height:1.3;margin:0 0 .5rem}
h2 .count{color:var(--faint);font-weight:400;font-size:.875rem;white-space:nowrap}
h3{font-size:1rem;margin:0;display:inline;font-weight:600;overflow-wrap:anywhere}
section{margin:0 0 1.5rem}
.tools{position:sticky;top:0;z-index:2;background:var(--page);border-bottom:1px solid var(--line);margin-bottom:1rem}
.tools form{max-width:84rem;margin:0 auto;padding:.5rem 1rem;display:flex;flex-wrap:wrap;gap:.5rem .75rem;align-items:center}
.tools label{color:var(--faint);font-size:.875rem}
.tools input,.tools select,button{font:inherit;font-size:.9375rem;color:var(--text);background:var(--card);border:1px solid var(--control);border-radius:6px;padding:.25rem .5rem;min-height:2.25rem;max-width:100%}
.tools input{flex:1 1 12rem;min-width:8rem}
.tools .field{display:flex;gap:.375rem;align-items:center;flex:0 1 auto;min-width:0}
.tools .search{flex:1 1 16rem}
button{cursor:pointer}
.found{margin:0;font-size:.875rem;color:var(--faint);flex-basis:100%}
.found:empty{display:none}
.contents{margin:0 0 .75rem;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1rem;font-size:.9375rem}
.card,.entry{background:var(--card);border:1px solid var(--line);border-radius:8px}
.entry{margin:0 0 .5rem}
summary{cursor:pointer;padding:.5rem .75rem;border-radius:8px}
summary:hover{background:var(--sunken)}
.body{padding:.375rem .75rem;border-top:1px solid var(--line)}
.body>p{margin:.25rem 0}
.meta{color:var(--faint);font-size:.9375rem}
.names{margin:.25rem 0;overflow-wrap:anywhere;font-size:.9375rem}
.facts{list-style:none;margin:0;padding:0}
.facts>li{display:grid;grid-template-columns:8.5rem 1fr;gap:.125rem .75rem;padding:.375rem .75rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
.facts>li:first-child{border-top:0}
.facts>li.wide{display:block}
.badge{display:inline-block;border-radius:4px;padding:0 .4375rem;font-size:.8125rem;font-weight:600;line-height:1.5rem;background:var(--plain);color:var(--text);white-space:nowrap;justify-self:start;align-self:start}
.badge.danger{background:var(--danger);color:var(--ondanger)}
.badge.warning{background:var(--warning);color:var(--warningtext)}
.badge.notice{background:var(--notice);color:var(--noticetext)}
.badge.good{background:var(--good);color:var(--goodtext)}
.objects,.fields,.findings,.trace{list-style:none;margin:0;padding:0}
.objects>li{padding:.5rem 0;border-top:1px solid var(--line)}
.objects>li:first-child{border-top:0}
.object{margin:0;overflow-wrap:anywhere;font-weight:600}
.sign{display:inline-block;width:1.25rem;font-weight:700;text-align:center}
.fields{padding-left:1.25rem}
.fields>li{padding:.1875rem 0;overflow-wrap:anywhere}
.path{color:var(--faint)}
del,ins{text-decoration:none;border-radius:3px;padding:.0625rem .25rem;white-space:pre-wrap;overflow-wrap:anywhere}
del{background:color-mix(in srgb,var(--danger) 16%,var(--card));color:var(--dangertext)}
ins{background:var(--good);color:var(--goodtext)}
.lines{margin:.25rem 0;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--sunken);border-radius:6px;padding:.375rem .5rem}
.lines :is(del,ins,span){display:block;border-radius:0}
.more{color:var(--faint);margin:.25rem 0}
.findings>li{padding:.375rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
.findings>li:first-child{border-top:0}
.message{margin:0}
.message+*{margin-top:.25rem}
.findings p{margin:.1875rem 0}
.excerpt{margin:.375rem 0;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--sunken);border-radius:6px;padding:.375rem .5rem}
.excerpt .number{color:var(--faint);user-select:none}
mark{background:var(--warning);color:var(--warningtext);border-radius:2px;font-weight:600}
.hint::before{content:"\\2192\\a0";color:var(--goodtext);font-weight:700}
.frame{overflow:auto;max-height:80vh}
table{border-collapse:separate;border-spacing:0;font-size:.9375rem;min-width:100%}
th,td{text-align:left;vertical-align:top;padding:.3125rem .75rem;border-bottom:1px solid var(--line);white-space:nowrap}
tbody tr:last-child>*{border-bottom:0}
thead th{position:sticky;top:0;background:var(--sunken);z-index:1}
tbody th{position:sticky;left:0;background:var(--card);font-weight:600}
tbody tr:hover>*{background:var(--sunken)}
.number{text-align:right;font-variant-numeric:tabular-nums}
.none{color:var(--faint)}
.odd{background:var(--notice);color:var(--noticetext);border-radius:3px;padding:.0625rem .25rem}
.stack{margin-bottom:.5rem}
.plain,.keys{list-style:none;margin:0;padding:0}
.plain{padding-left:1rem}
.entry>.facts{border-top:1px solid var(--line)}
.keys>li{padding:.25rem 0;border-top:1px solid var(--line);display:flex;flex-wrap:wrap;gap:0 1rem;overflow-wrap:anywhere}
.keys>li:first-child{border-top:0}
.keys .key{flex:1 1 18rem}
.keys .set{flex:1 1 18rem}
.keys .over{flex:1 1 100%;padding-left:1rem;color:var(--faint);font-size:.875rem}
footer{color:var(--faint);font-size:.875rem;padding-bottom:2rem}
@media (max-width:40rem){
.facts>li{display:block}
.facts>li .badge{margin-bottom:.125rem}
.tools{position:static}
.tools .field{flex:1 1 100%}
.tools select{flex:1 1 auto;min-width:0}
html{scroll-padding-top:.5rem}
.frame{max-height:65vh}
th,td{padding:.3125rem .5rem}
}
@media print{.tools,.skip,.contents{display:none}body{background:#fff}}
`
