import type { Metrics } from '../model/metrics.ts'

/** {@link Metrics} by prom-client, with its default metrics of the process; it is loaded when it is needed. */
export const nodeMetrics: Metrics = {
  open: async (definitions) => {
    const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    const counters = new Map<string, InstanceType<typeof Counter>>()
    const gauges = new Map<string, InstanceType<typeof Gauge>>()
    const histograms = new Map<string, InstanceType<typeof Histogram>>()
    for (const [name, { type, help, labels, buckets }] of Object.entries(definitions)) {
      const options = { name, help, labelNames: [...labels], registers: [registry] }
      if (type === 'counter') counters.set(name, new Counter(options))
      else if (type === 'gauge') gauges.set(name, new Gauge(options))
      else histograms.set(name, new Histogram({ ...options, ...(buckets !== undefined && { buckets: [...buckets] }) }))
    }
    return {
      add: (name, labels, amount = 1) => {
        defined(counters, name).inc({ ...labels }, amount)
      },
      set: (name, labels, value) => {
        defined(gauges, name).set({ ...labels }, value)
      },
      remove: (name, labels) => {
        defined(gauges, name).remove({ ...labels })
      },
      observe: (name, labels, value) => {
        defined(histograms, name).observe({ ...labels }, value)
      },
      text: async () => registry.metrics(),
      contentType: registry.contentType,
    }
  },
}

function defined<T>(metrics: ReadonlyMap<string, T>, name: string): T {
  const metric = metrics.get(name)
  if (metric === undefined) throw new Error(`no metric ${name}`)
  return metric
}
