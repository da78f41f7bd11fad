import { Row } from '../database/row.ts'

/**
 * A site that an agent used when it was removed from the vault (table `agent_lost_sites`), until the agent's sites are
 * set anew. The agent's runs say that they lack it.
 */
export class LostSite extends Row {
  static override tableName = 'agent_lost_sites'
  static override idColumn = ['agentId', 'origin']
  declare agentId: string
  declare origin: string
  declare name: string
  declare lostAt: Date
}
