import type { ManifestServer } from '../../manifest.ts'
import type { OfferedTools, WantedTools } from '../../offered-tools.ts'

/**
 * How the call of a tool becomes a request (OpenAPI 3.1, 4.8.10). It is pinned with the tool, so that another path is a
 * change that the owner accepts.
 */
export interface OperationRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS'
  /** Below the server's address, with `{name}` for each path parameter. */
  path: string
  parameters: OperationParameter[]
  body?: OperationBody | undefined
}

/** A parameter, and the property of the tool's arguments that holds its value (OpenAPI 3.1, 4.8.12). */
export interface OperationParameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  /** Parameters of one name in several places have properties apart. */
  property: string
  style: string
  explode: boolean
  allowReserved?: boolean | undefined
  /** The value is serialized as this media type instead of by its style. */
  mediaType?: string | undefined
}

export interface OperationBody {
  mediaType: string
  property: string
  /** How properties of a form are written, where it is not as `form` and exploded (OpenAPI 3.1, 4.8.15). */
  encoding?: Record<string, { style: string; explode: boolean }> | undefined
}

/** Where a pasted credential is sent. For `basic`, it is the user's name and password with a colon between. */
export type CredentialPlace = { scheme: 'bearer' | 'basic' } | { in: 'header' | 'query' | 'cookie'; name: string }

/**
 * What the thread is given: the document, documents that it refers to by address, and what is chosen. They are bytes,
 * because decoding and cloning a long text holds the event loop up.
 */
export interface DocumentToRead {
  /** The address of the document, that relative ones are resolved against; absent for an uploaded one. */
  address?: string | undefined
  bytes: Uint8Array
  /** By absolute address without a fragment, as far as they have been fetched. */
  referenced: Record<string, Uint8Array>
  /** The server that the owner names, if it is not the first one of the document. */
  server?: string | undefined
  /** The server of a site that is connected. */
  pinned?: ManifestServer | undefined
  /** Names of the chosen tools, 20 at most. Without them, the manifest has none. */
  chosen: readonly string[]
  /** The owner wants to sign in by OAuth, if the document describes it. */
  wantsSignIn?: boolean | undefined
  /** The owner has pasted a credential. It is used if the document describes a place for it, or no sign-in. */
  hasCredential?: boolean | undefined
  /** The part of the offer that is shown. */
  shown?: WantedTools | undefined
}

export interface DocumentFound {
  /** A JSON text of a `Manifest`, whose tools have a member `request`. */
  manifest: string
  offered: OfferedTools
  /** Operations that cannot be used, chosen or not. The last of a longer list says how many more there are. */
  leftOut: { name: string; problem: string }[]
  /** Addresses of servers, the first is the default. */
  servers: string[]
}

/** What the thread sends back. */
export type ReadDocument =
  | DocumentFound
  /** Documents to fetch first, by absolute address. */
  | { missing: string[] }
  | { problems: { path: string; message: string }[] }
  /** The text is no OpenAPI document at all. */
  | { isNone: true }
