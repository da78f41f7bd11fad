import type { Dialect } from './dialect.ts'
import { createManifestDialect } from './manifest/manifest-dialect.ts'

/** The dialect that sites speak. Only this file imports an adapter (docs/understand/how-it-works.md, "Import rules"). */
export const createDialect: (context: Parameters<typeof createManifestDialect>[0]) => Dialect = createManifestDialect
