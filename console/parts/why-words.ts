/** Whether a suggestion of `why` names a request. The page has a button for it, and programs read the sentence. */
export const isForPrograms = (action: string): boolean => /\b(GET|POST|PUT|PATCH|DELETE) \//.test(action)
