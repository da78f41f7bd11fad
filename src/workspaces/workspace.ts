import { Row } from '../database/row.ts'

/** What happens to the sites that a leaving member connected: they stay, or are removed from the vault. */
export const connections = ['keep', 'remove'] as const
export type Connections = (typeof connections)[number]

/** A workspace (table `workspaces`): an owner whose things several people share. */
export class Workspace extends Row {
  static override tableName = 'workspaces'
  /** The id of its row in `owners`. */
  declare id: string
  declare name: string
  /** The paying user: the only member with the role `owner`. */
  declare payerId: string
  /** The most credits it may use in a calendar month (UTC); null for no cap. */
  declare creditsPerMonth: number | null
  /** What happens to the sites that a leaving member connected. */
  declare connectionsOfLeavers: Connections
  declare createdAt: Date
  declare deletedAt: Date | null
}
