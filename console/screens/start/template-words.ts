import type { Api } from '../../api/client.ts'

type Template = Api['Template']

const moments: Record<Api['Trigger'], string> = {
  manual: 'When you start it',
  scheduled: 'On a schedule',
  webhook: 'For each webhook delivery',
}

/** When the agent of a template runs. */
export const whenItRuns = ({ trigger }: Pick<Template, 'trigger'>): string => moments[trigger]

/** What starting a template does, as sentences in their order. */
export function whatStartDoes({ name, trigger, sites }: Pick<Template, 'name' | 'trigger' | 'sites'>): string[] {
  const origins = sites.flatMap(({ site, address }) => (address === null ? [] : [`“${site}” at ${hostOf(address)}`]))
  return [
    ...(origins.length === 0 ? [] : [`Connects ${listed(origins)}, unless it is in your vault already.`]),
    `Creates an agent named “${name}”.`,
    firstRuns[trigger],
  ]
}

const firstRuns: Record<Api['Trigger'], string> = {
  manual: 'Starts one run with a sample as its input.',
  scheduled: 'Starts one run now, and then follows the schedule.',
  webhook: 'Starts one run with a sample delivery, and then waits for real ones.',
}

const hostOf = (address: string): string => URL.parse(address)?.host ?? address

const list = new Intl.ListFormat('en-US')
const listed = (parts: string[]): string => list.format(parts)

/** A tool that the agent may use. `asksFirst`: a person approves each call. */
export interface ShownTool {
  key: string
  name: string
  asksFirst: boolean
}

export const toolsOf = ({ sites }: Pick<Template, 'sites'>): ShownTool[] =>
  sites.flatMap(({ site, tools, askFirst }) =>
    tools.map((name) => ({ key: `${site} ${name}`, name, asksFirst: askFirst.includes(name) })),
  )
