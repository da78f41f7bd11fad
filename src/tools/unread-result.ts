/**
 * The result of a 2xx whose body is not a JSON object. The site accepted the call (RFC 9110, 15.3); many frameworks
 * answer a deletion with an empty 200. The body is not shown, because a login page would pass for data. The recorded
 * `result` is null.
 */
export const unreadResult =
  'The site performed the call, but its response is not a readable JSON object and was not stored. Repeating the call may perform it a second time.'
