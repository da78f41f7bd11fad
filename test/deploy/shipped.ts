import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'

export interface Panel {
  id: number
  type: 'row' | 'timeseries'
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string; legendFormat: string }[]
}

export interface Rule {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

const folder = join(import.meta.dirname, '../../deploy')
const read = (path: string): string => readFileSync(join(folder, path), 'utf8')

export const rulesFile = join(folder, 'prometheus/alerts.yaml')
export const sampleFile = join(folder, 'prometheus/prometheus.yaml')

/** The alerts that are shipped. */
export const alertRules = (load(read('prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
)

/** The panels of the dashboard that is shipped, with the rows as panels of their own. */
export const { panels } = JSON.parse(read('grafana/switchyard.json')) as { panels: Panel[] }

/** Every query of the dashboard. Grafana chooses the time over which rates are taken, and here the caller does. */
export const queriesOver = (time: string): { title: string; expr: string }[] =>
  panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', time) })),
  )
