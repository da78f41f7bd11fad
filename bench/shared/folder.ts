import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProcessRecord } from '../../bin/local/process-record.ts'
import { startWarden } from '../../bin/local/warden.ts'
import { readLocalConfig } from '../../src/config/local-config.ts'

/** If we are root, Postgres runs as another user, which must get through. */
export const letPostgresIn = (folder: string): void => chmodSync(folder, 0o711)

/** For what a bench writes. */
export const temporaryFolder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
letPostgresIn(temporaryFolder)

/** The servers of this bench. However it ends, the warden ends them and deletes the folder. */
export const record = createProcessRecord(join(temporaryFolder, 'processes'))
startWarden(record.folder, readLocalConfig().environment, [temporaryFolder])
