import type { Row } from './row.ts'
import { agentFieldRows } from './rows/agent-fields.ts'
import { agentRows } from './rows/agents.ts'
import { chatRows } from './rows/chats.ts'
import { exampleSiteRows } from './rows/example-sites.ts'
import { identityRows } from './rows/identity.ts'
import { manifestRows } from './rows/manifests.ts'
import { moneyRows } from './rows/money.ts'
import { oauthRows } from './rows/oauth.ts'
import { ownerRows } from './rows/owners.ts'
import { siteRows } from './rows/sites.ts'
import { toolRows } from './rows/tools.ts'
import { webhookRows } from './rows/webhooks.ts'
import { workspaceRows } from './rows/workspaces.ts'

/** Every row of the tables of docs/specification.md that a client can observe, and each code. */
export const rows: Row[] = [
  ...identityRows,
  ...moneyRows,
  ...workspaceRows,
  ...ownerRows,
  ...chatRows,
  ...siteRows,
  ...agentRows,
  ...manifestRows,
  ...toolRows,
  ...oauthRows,
  ...exampleSiteRows,
  ...agentFieldRows,
  ...webhookRows,
]
