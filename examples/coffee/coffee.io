input
\?.*
