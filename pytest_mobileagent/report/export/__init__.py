"""Tables of several runs, for papers, spreadsheets and pages."""
