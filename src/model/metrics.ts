/** Numbers of one kind that a program tells of itself. */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** One sentence. */
  readonly help: string
  /** Each with few values: never the names of objects. */
  readonly labels: readonly string[]
  /** Upper ends of a histogram's ranges. */
  readonly buckets?: readonly number[]
}

/** The value of each label of a metric. */
export type MetricLabels = Readonly<Record<string, string>>

/** Holds counters and gauges. A name that was not defined is an error of the program. */
export interface MetricStore {
  /** Adds to a counter. */
  readonly add: (name: string, labels: MetricLabels, amount?: number) => void
  /** Sets a gauge. */
  readonly set: (name: string, labels: MetricLabels, value: number) => void
  /** Takes a gauge with these labels away. */
  readonly remove: (name: string, labels: MetricLabels) => void
  /** Takes a value into a histogram. */
  readonly observe: (name: string, labels: MetricLabels, value: number) => void
  /** All of them as Prometheus reads them, with what the process tells of itself. */
  readonly text: () => Promise<string>
  /** Of that text. */
  readonly contentType: string
}

/** Starts to count. */
export interface Metrics {
  readonly open: (definitions: Readonly<Record<string, MetricDefinition>>) => Promise<MetricStore>
}
