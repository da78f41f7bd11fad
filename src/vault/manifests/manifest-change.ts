import { Row } from '../../database/row.ts'
import type { ChangeClass, Difference } from '../../sites/changes/difference.ts'
import type { Manifest } from '../../sites/manifest/manifest.ts'

/**
 * `adopted`: taken over without asking · `pending`: not used before its owner accepts it · `superseded`: another change
 * came before the owner decided · `withdrawn`: the site went back to the manifest in use.
 */
export const manifestChangeStatuses = ['adopted', 'pending', 'accepted', 'superseded', 'withdrawn'] as const

type ManifestChangeStatus = (typeof manifestChangeStatuses)[number]

/** A change of a connected site's manifest (table `manifest_changes`); at most one of an entry is pending. */
export class ManifestChange extends Row {
  static override tableName = 'manifest_changes'
  static override jsonAttributes = ['differences', 'manifest']
  declare id: string
  declare entryId: string
  declare class: Exclude<ChangeClass, 'none'>
  /** Between the manifest that was in use when it was found and the new one. */
  declare differences: Difference[]
  /** The whole new one. While it is pending, nothing of it is used. */
  declare manifest: Manifest
  /** Of the new one: what an owner accepts is named by it. */
  declare fingerprint: string
  declare status: ManifestChangeStatus
  declare foundAt: Date
  declare decidedAt: Date | null
}
