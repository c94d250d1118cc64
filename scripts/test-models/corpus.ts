/**
 * The text from which the test vocabulary learns its merges. What it says does not matter; it holds
 * common English words, the role names of a chat, and the sentences in scripts.ts should come out
 * in few tokens.
 */
export const CORPUS = `system
user
assistant
tool
The system tells the assistant what to do, the user asks, and the assistant answers. A system
message comes first, then the user speaks, then the assistant speaks, then the user speaks again,
and so on until the user has heard enough. The assistant writes one word after another, and every
word appears on the screen at once.

Hello! Good morning, how are you today? Thank you, I am fine. Please tell me a short story about the
sea. There was once a small lighthouse on a rock far from the land. Every evening its keeper climbed
the stairs, lit the lamp and wrote the weather into a book: wind from the north, rain after
midnight, a clear sky before dawn. Ships that passed could see the light from many miles away, and
their captains knew where they were. One night the lamp went out. The keeper looked for oil and
found none, so she took the letters that people had written to her over the years and burned them
one by one, and the light stayed on until the morning came. Nobody on the ships ever knew, but they
all came home.

What is the weather like in Rome? It is warm and sunny, about twenty degrees, with a little wind
from the west. And in Paris, London, Berlin, Tokyo or New York? There it rains, there it snows,
there the sky is grey. The tool gave its result: mild and dry all day. Take a coat with you when you
go out in the evening, it may get cold.

A computer is a machine that follows instructions. A program is a list of instructions that someone
wrote for it. This program runs on your own computer, so nothing that you type leaves the room. A
model is a large table of numbers that was made by reading a lot of text. When you ask a question,
the program turns your words into numbers, works with the table, and turns the numbers that come out
back into words. It does this again and again, one step at a time, and each step looks at everything
that was said before. Some models are large and slow, some are small and fast. The smallest ones
know almost nothing, but they are useful for testing because they start in no time and always say
the same thing.

Let me think about this. First we need to know how many apples there are. If three children have two
apples each, then together they have six apples. If one of them eats an apple, five are left. That
was easy, so let us try a harder question. A train leaves the station at nine and another leaves an
hour later but goes twice as fast. When do they meet? They meet after two hours, because by then the
slow train has been under way for as long as it takes the fast one to catch up. The answer is
eleven. Every answer can be checked, and every check can be written down.

Red, orange, yellow, green, blue and violet are the colours of the rainbow. Spring, summer, autumn
and winter are the seasons of the year. Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and
Sunday are the days of the week. One, two, three, four, five, six, seven, eight, nine, ten, eleven,
twelve. Alpha, beta, gamma, delta, epsilon.

To make bread you need flour, water, salt and time. Mix them, wait, fold the dough, wait again, and
bake it in a hot oven until the crust is brown. To make soup you need an onion, some butter, a few
carrots, water and patience. To make friends you need only the patience. Write to us at any hour: we
read every letter and answer most of them.

{"name": "value", "city": "Rome", "arguments": {"type": "string", "description": "text"},
"required": ["name"]} {"type": "object", "properties": {"location": {"type": "string"}, "number":
{"type": "integer"}}, "items": []} - first item (of a list); second item / third item = "done" +
'quoted' * [x] & {y} | z > 0 < 1 # % ^ ~ @ $ _ \`
`;
