import type { AgentTab } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'

const tabs: readonly { tab: AgentTab; name: string; only?: Api['Trigger'] }[] = [
  { tab: 'queue', name: 'Queue' },
  { tab: 'settings', name: 'Settings' },
  { tab: 'schedule', name: 'Schedule', only: 'scheduled' },
  { tab: 'connect', name: 'Connect', only: 'webhook' },
  { tab: 'test', name: 'Test delivery', only: 'webhook' },
  { tab: 'refused', name: 'Refused', only: 'webhook' },
  { tab: 'versions', name: 'Versions' },
]

/** The tabs that an agent with this trigger has. */
export const tabsOf = (trigger: Api['Trigger']) => tabs.filter(({ only }) => only === undefined || only === trigger)
