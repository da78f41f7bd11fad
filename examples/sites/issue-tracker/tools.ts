import type { Schema } from '@cfworker/json-schema'
import type { Issue, IssueFilter, Issues } from './issues.ts'
import type { Scope, User } from './tokens.ts'

/** One tool: its entry in the manifest, and its implementation. */
export interface Tool {
  name: string
  description: string
  /** The permission that a user needs. The platform requests no more than that. */
  scope: Scope
  /**
   * Whether the platform may repeat a call with an unknown outcome: `read` changes nothing, `idempotent` has the same
   * effect twice as once. Without it a call is made only once.
   */
  effect?: 'read' | 'idempotent'
  input_schema: Schema & { type: 'object' }
  /** Executes the tool with valid input, for a permitted user. Throws a SiteError. */
  run(input: Record<string, unknown>, user: User): object
}

const id = { type: 'number', description: 'Number of the issue' } as const

/** The tools of the tracker. */
export function createTools(issues: Issues): Tool[] {
  return [
    {
      name: 'search_issues',
      description: 'Search the issues. All given conditions must hold; without any, all issues are listed.',
      scope: 'read',
      effect: 'read',
      input_schema: {
        type: 'object',
        properties: {
          category: { type: 'string', description: 'Only issues of this category, for example bug or feature' },
          status: { type: 'string', description: 'Only issues in this state', enum: ['open', 'closed'] },
          text: { type: 'string', description: 'Only issues whose title or content contains this text' },
        },
        required: [],
      },
      run: (filter: IssueFilter) => ({ results: issues.search(filter).map(summary) }),
    },
    {
      name: 'get_issue',
      description: 'Get one issue with its content and comments.',
      scope: 'read',
      effect: 'read',
      input_schema: { type: 'object', properties: { id }, required: ['id'] },
      run: (input: { id: number }) => issues.find(input.id),
    },
    {
      name: 'issues.createIssue',
      description: 'Create an issue. It is assigned to the default assignee.',
      scope: 'write',
      input_schema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'One line that says what it is about', minLength: 1, maxLength: 200 },
          content: { type: 'string', description: 'The whole description' },
          author: { type: 'string', description: 'Who reported it; the user of the token if not given' },
          category: { type: 'string', description: 'For example bug, feature or question; question if not given' },
          post_id: { type: 'number', description: 'Number of the post that this issue is about' },
        },
        required: ['title', 'content'],
      },
      run: (input: { title: string; content: string; author?: string; category?: string; post_id?: number }, user) =>
        issues.create({
          title: input.title,
          content: input.content,
          author: input.author ?? user.name,
          category: input.category ?? 'question',
          ...(input.post_id !== undefined && { post_id: input.post_id }),
        }),
    },
    {
      name: 'issues.addComment',
      description: 'Add a comment to an issue.',
      scope: 'write',
      // Idempotent because the tracker honours the Idempotency-Key header.
      effect: 'idempotent',
      input_schema: {
        type: 'object',
        properties: { id, content: { type: 'string', description: 'Text of the comment', minLength: 1 } },
        required: ['id', 'content'],
      },
      run: (input: { id: number; content: string }, user) => issues.addComment(input.id, user.name, input.content),
    },
    {
      name: 'delete_issue',
      description: 'Delete an issue with its comments. This cannot be undone.',
      scope: 'delete',
      input_schema: { type: 'object', properties: { id }, required: ['id'] },
      run: (input: { id: number }) => ({ deleted: issues.remove(input.id), id: input.id }),
    },
    {
      name: 'delete_closed_issues',
      description: 'Delete all closed issues created before a day, with their comments. This cannot be undone.',
      scope: 'delete',
      effect: 'idempotent',
      input_schema: {
        type: 'object',
        properties: {
          created_before: {
            type: 'string',
            description: 'The day, as YYYY-MM-DD',
            pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
          },
        },
        required: ['created_before'],
      },
      run: (input: { created_before: string }) => ({ deleted: issues.removeClosed(input.created_before) }),
    },
    {
      name: 'admin.updateSettings',
      description: 'Change the settings of the tracker.',
      scope: 'admin',
      effect: 'idempotent',
      input_schema: {
        type: 'object',
        properties: {
          default_assignee: { type: 'string', description: 'Who new issues are assigned to', minLength: 1 },
        },
        required: ['default_assignee'],
      },
      run: (input: { default_assignee: string }) => Object.assign(issues.settings, pickSettings(input)),
    },
  ]
}

const summary = ({ id, title, status, assignee, created }: Issue) => ({ id, title, status, assignee, created })

/** Only known members: the input may contain others, which must not be stored. */
const pickSettings = ({ default_assignee }: { default_assignee: string }) => ({ default_assignee })
