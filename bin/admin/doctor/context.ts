import type { Migration } from '../../../src/database/migrate.ts'
import type { Services } from '../../../src/services.ts'

/** What the doctor's checks look at. */
export interface Outside extends Services {
  migrations: Migration[]
  /** Folders of this installation on this machine. */
  folders: readonly string[]
}
