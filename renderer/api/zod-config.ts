/** Imported before any schema: the window's content security policy forbids the `new Function` zod would compile with. */
import { z } from 'zod';

z.config({ jitless: true });
