import { Row } from '../database/row.ts'

/**
 * A site that was removed from the vault while an agent used it (table `agent_lost_sites`). Kept until the agent's
 * sites are set again. The agent's runs report it as missing.
 */
export class LostSite extends Row {
  static override tableName = 'agent_lost_sites'
  static override idColumn = ['agentId', 'origin']
  declare agentId: string
  declare origin: string
  declare name: string
  declare lostAt: Date
}
