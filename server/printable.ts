/**
 * Text that can be shown and sent anywhere: no control characters, which lists in terminals and lines of logs would obey,
 * and no halves of characters, which no header and no URL can carry.
 */
export const PRINTABLE = /^[^\p{Cc}\p{Cs}]*$/u;
